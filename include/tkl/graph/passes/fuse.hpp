// SPDX-License-Identifier: Apache-2.0
// Fuse: the element-wise nodes that follow an anchor (a contraction, a row operation, or an element-wise node itself)
// become its epilogue.
//
// Rule: starting from the anchor, a set of element-wise nodes of the anchor's shape is grown until one of them (the
// exit) is the only one that anybody outside reads; then the set is absorbed and growth goes on from the exit. So
// chains fuse, and so does x * sigmoid(x). Obligation: each absorbed node's readers are all absorbed, none but the last
// is a graph output, every other operand is computed before the anchor's step, and the operations keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/graph/passes/analysis.hpp>
#include <vector>

namespace tkl {

enum class node_state : std::uint8_t {
  waiting,   // not reached yet
  ready,     // its value has a place and is computed by a step before the current one
  absorbed,  // part of a step, without a place of its own
};

namespace detail {

inline constexpr int max_region = 16;

constexpr bool is_element_wise(op_kind k) {
  return k == op_kind::map || k == op_kind::batch_norm || k == op_kind::keep_first;
}

/// Whether node `m` may join: element-wise, of the same shape and type, all operands inside or available.
constexpr bool may_join(const graph& g, const std::vector<node_use>& use, const std::vector<node_state>& state,
                        const node& m, const shape& extents, const std::vector<std::uint8_t>& inside) {
  if (!is_element_wise(m.kind) || m.type != element::f32 || !(m.shape == extents)) return false;
  for (int i = 0; i < m.inputs; ++i) {
    const auto x = static_cast<std::size_t>(m.in[i]);
    if (inside[x]) {
      if (!(g.nodes[x].shape == extents)) return false;
      continue;
    }
    if (!use[x].constant && state[x] != node_state::ready) return false;
  }
  return true;
}

}  // namespace detail

/// Grows the region of `anchor`; marks what it absorbs and returns the exit (the anchor itself if nothing fused).
/// `fits` says whether the expression with that exit still fits a kernel key.
template <class Fits>
constexpr std::int32_t grow_region(const graph& g, const std::vector<node_use>& use, std::vector<node_state>& state,
                                   std::int32_t anchor, std::vector<std::uint8_t>& inside, Fits fits) {
  const shape& extents = g.nodes[static_cast<std::size_t>(anchor)].shape;
  std::int32_t exit = anchor;
  std::int32_t members[detail::max_region]{};
  inside[static_cast<std::size_t>(anchor)] = 1;
  for (;;) {
    if (use[static_cast<std::size_t>(exit)].output) break;
    std::int32_t open[detail::max_region]{};  // readers of each member still outside
    int count = 1;
    members[0] = exit;
    open[0] = use[static_cast<std::size_t>(exit)].readers;
    std::int32_t last = use[static_cast<std::size_t>(exit)].last_reader;
    std::int32_t found = -1;
    for (std::int32_t m = exit + 1; m <= last && found < 0; ++m) {
      const node_use& u = use[static_cast<std::size_t>(m)];
      if (!u.live || u.constant || state[static_cast<std::size_t>(m)] != node_state::waiting) continue;
      const node& n = g.nodes[static_cast<std::size_t>(m)];
      bool reads = false;
      for (int i = 0; i < n.inputs; ++i) reads = reads || inside[static_cast<std::size_t>(n.in[i])];
      if (!reads) continue;
      if (count == detail::max_region || !detail::may_join(g, use, state, n, extents, inside)) break;
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < n.inputs; ++i)
          if (n.in[i] == members[k]) {
            --open[k];
            break;
          }
      inside[static_cast<std::size_t>(m)] = 1;
      members[count] = m;
      open[count++] = u.readers;
      bool closed = true;
      for (int k = 0; k + 1 < count; ++k) closed = closed && open[k] == 0;
      if (closed) {
        found = m;
      } else if (u.output) {
        break;  // delivered to the caller, yet not the exit
      }
      if (u.last_reader > last) last = u.last_reader;
    }
    if (found >= 0 && fits(found)) {
      for (int k = 1; k < count; ++k) state[static_cast<std::size_t>(members[k])] = node_state::absorbed;
      exit = found;
      continue;
    }
    for (int k = 1; k < count; ++k) inside[static_cast<std::size_t>(members[k])] = 0;
    break;
  }
  return exit;
}

}  // namespace tkl
