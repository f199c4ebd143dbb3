// SPDX-License-Identifier: Apache-2.0
// Lent outputs: values that nobody reads any more when an output is first written lie in that output's buffer until
// then, where the target lends its outputs (graph/lend_outputs.hpp).
//
// Rule: the largest values first, of equal ones the earliest or the latest, each at the lowest offset of the first
// output where it fits beside those that live at the same steps. Values alone: scratch stays in the arena, of which
// workers have their own. Only outputs whose elements are as large as any, so that their buffers are aligned for all.
// Obligation: the last step that touches a lent value stands before the first that touches the output.
#pragma once

#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/program.hpp>
#include <utility>
#include <vector>

namespace tkl {

/// A storage of the arena that moves into an output's buffer.
struct lent_storage {
  std::int32_t storage = -1;
  std::int16_t output = -1;
  std::int64_t offset = 0;  // bytes
};

namespace detail {

/// Lowest multiple of the alignment where a storage meets none of `lent` that live in this output at one of its steps.
constexpr std::int64_t lowest_offset(const program& p, const std::vector<lent_storage>& lent, const storage& s,
                                     std::int16_t output) {
  std::int64_t at = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const lent_storage& other : lent) {
      const storage& o = p.storages[static_cast<std::size_t>(other.storage)];
      if (other.output != output || o.first > s.last || s.first > o.last) continue;
      if (at >= other.offset + o.bytes || other.offset >= at + s.bytes) continue;
      at = round_up(other.offset + o.bytes, buffer_alignment);
      moved = true;
    }
  }
  return at;
}

}  // namespace detail

/// Chooses among `owners`, the storages that take room in the arena: the largest first, of equal ones the first or, on
/// wish, the last.
constexpr std::vector<lent_storage> lend_storages(const program& p, std::vector<std::int32_t> owners, bool last_first) {
  std::vector<std::uint8_t> stays(p.storages.size(), 0);
  for (const step& s : p.steps)
    if (s.scratch >= 0) stays[static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(s.scratch)])] = 1;
  const auto at = [&](std::int32_t i) -> const storage& { return p.storages[static_cast<std::size_t>(i)]; };
  if (last_first)
    for (std::size_t i = 0, n = owners.size(); i < n / 2; ++i) std::swap(owners[i], owners[n - 1 - i]);
  for (std::size_t i = 1; i < owners.size(); ++i)  // by falling size, stable
    for (std::size_t k = i; k > 0 && at(owners[k - 1]).bytes < at(owners[k]).bytes; --k)
      std::swap(owners[k - 1], owners[k]);
  std::vector<lent_storage> lent;
  for (const std::int32_t owner : owners) {
    const storage& s = at(owner);
    if (s.bytes == 0 || stays[static_cast<std::size_t>(owner)] != 0) continue;
    for (std::size_t i = 0; i < p.outputs.size(); ++i) {
      const auto e = static_cast<std::size_t>(p.outputs[i]);
      const storage& own = at(p.edge_storage[e]);
      if (size_of(p.edges[e].type) != sizeof(float) || s.last >= own.first || s.bytes > own.bytes) continue;
      const std::int64_t offset = detail::lowest_offset(p, lent, s, static_cast<std::int16_t>(i));
      if (offset > own.bytes - s.bytes) continue;
      lent.push_back({owner, static_cast<std::int16_t>(i), offset});
      break;
    }
  }
  return lent;
}

/// Moves a storage, and those that took over its bytes, into the buffer of an output.
constexpr void move_to_output(program& p, const lent_storage& lent) {
  p.storages[static_cast<std::size_t>(lent.storage)].offset = lent.offset;
  const auto belongs = [&](std::int32_t s) {
    while (s != lent.storage && p.storages[static_cast<std::size_t>(s)].root >= 0)
      s = p.storages[static_cast<std::size_t>(s)].root;
    return s == lent.storage;
  };
  const auto move = [&](auto& x) { x.where = space::output, x.index = lent.output; };
  for (std::size_t i = 0; i < p.storages.size(); ++i)
    if (belongs(static_cast<std::int32_t>(i))) move(p.storages[i]);
  for (std::size_t e = 0; e < p.edges.size(); ++e)
    if (belongs(p.edge_storage[e])) move(p.edges[e]);
}

}  // namespace tkl
