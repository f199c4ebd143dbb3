// SPDX-License-Identifier: Apache-2.0
// In place: a step's result takes over the bytes of an operand that nobody reads afterwards.
//
// Rule: the result fills its whole arena storage, the operand fills its own, both edges have equal extents, strides,
// type and size, the step is the operand's last and the result's first. Every mention of the operand in the step must
// be such an edge: an element is read by whoever writes it, just before. Obligation: the algorithm reads an element of
// these operands only to compute the same element (or, for the row operations, has read the whole row before it writes
// it). The input of a contraction or of a window never qualifies. Where the target lends its outputs, the operand of a
// step that writes an output may lie in that output's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/graph/passes/lent_outputs.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {

namespace detail {

constexpr bool same_elements(const edge& a, const edge& b) {
  if (a.type != b.type || a.offset != b.offset) return false;
  for (int i = 0; i < plan_rank; ++i) {
    if (a.extent[i] != b.extent[i]) return false;
    if (a.extent[i] != 1 && a.stride[i] != b.stride[i]) return false;
  }
  return true;
}

/// Whether the algorithm may write its result over in[0].
constexpr bool row_wise(algorithm a) {
  return a == algorithm::softmax || a == algorithm::layer_norm;
}

constexpr std::int32_t root_of(const program& p, std::int32_t s) {
  while (p.storages[static_cast<std::size_t>(s)].root >= 0) s = p.storages[static_cast<std::size_t>(s)].root;
  return s;
}

}  // namespace detail

/// Merges storages; afterwards `root` names the storage whose bytes a merged one uses, and the root's lifetime covers
/// both. `lends`: outputs take in operands.
constexpr void merge_in_place(program& p, bool lends = false) {
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const step& s = p.steps[i];
    const auto now = static_cast<std::int32_t>(i);
    const edge& out = p.edges[static_cast<std::size_t>(s.out)];
    if (out.where != space::arena && !(lends && out.where == space::output)) continue;
    const std::int32_t result = p.edge_storage[static_cast<std::size_t>(s.out)];
    if (p.storages[static_cast<std::size_t>(result)].first != now) continue;  // a part of a concatenation begun earlier
    const auto storage_of = [&](std::int16_t e) {
      return e < 0 ? -1 : detail::root_of(p, p.edge_storage[static_cast<std::size_t>(e)]);
    };
    const auto qualifies = [&](std::int16_t e) {
      if (e < 0) return false;
      const edge& x = p.edges[static_cast<std::size_t>(e)];
      if (x.where != space::arena || !detail::same_elements(x, out)) return false;
      const storage& from = p.storages[static_cast<std::size_t>(storage_of(e))];
      if (from.last != now || from.bytes != p.storages[static_cast<std::size_t>(result)].bytes) return false;
      for (std::int16_t other : s.in)  // read in another way by the same step?
        if (storage_of(other) == storage_of(e) &&
            (other != s.in[0] || !detail::row_wise(s.algorithm) ||
             !detail::same_elements(p.edges[static_cast<std::size_t>(other)], out)))
          return false;
      for (std::int16_t other : s.operand)
        if (storage_of(other) == storage_of(e) && !detail::same_elements(p.edges[static_cast<std::size_t>(other)], out))
          return false;
      return true;
    };
    std::int16_t taken = -1;
    if (detail::row_wise(s.algorithm) && qualifies(s.in[0])) taken = s.in[0];
    for (std::int16_t e : s.operand)
      if (taken < 0 && qualifies(e)) taken = e;
    if (taken < 0) continue;
    const std::int32_t root = storage_of(taken);
    if (out.where == space::output) {
      move_to_output(p, {root, out.index, 0});
      p.storages[static_cast<std::size_t>(root)].root = result;
      p.storages[static_cast<std::size_t>(result)].first = p.storages[static_cast<std::size_t>(root)].first;
      continue;
    }
    p.storages[static_cast<std::size_t>(result)].root = root;
    p.storages[static_cast<std::size_t>(root)].last = p.storages[static_cast<std::size_t>(result)].last;
  }
}

}  // namespace tkl
