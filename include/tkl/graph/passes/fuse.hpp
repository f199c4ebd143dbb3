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
#include <tkl/graph/passes/place.hpp>

namespace tkl {

enum class node_state : std::uint8_t {
  waiting,   // not reached yet
  ready,     // its value has a place and is computed by a step before the current one
  absorbed,  // part of a step, without a place of its own
};

/// What lowering knows of a node.
struct node_record {
  place where{};           // where its value lies, or will lie when a destination was chosen
  std::int16_t load = -1;  // its load node, or -1
  std::int16_t edge = -1;  // the edge of its own place, or -1
  node_state state = node_state::waiting;
  bool inside = false;  // member of the region that is being grown
};

namespace detail {

inline constexpr int max_region = 16;

constexpr bool is_element_wise(op_kind k) {
  return k == op_kind::map || k == op_kind::batch_norm || k == op_kind::keep_first;
}

/// Whether node `m` may join: element-wise, of the same shape and type, all operands inside or available.
constexpr bool may_join(const node* nodes, const node_array<node_use>& use, const node_array<node_record>& records,
                        const node& m, const shape& extents) {
  if (!is_element_wise(m.kind) || m.type != element::f32 || !(m.shape == extents)) return false;
  for (int i = 0; i < m.inputs; ++i) {
    const std::int32_t x = m.in[i];
    if (records[x].inside) {
      if (!(nodes[x].shape == extents)) return false;
      continue;
    }
    if (!use[x].constant && records[x].state != node_state::ready) return false;
  }
  return true;
}

}  // namespace detail

/// Grows the region of `anchor`; marks what it absorbs and returns the exit (the anchor itself if nothing fused).
/// `fits` says whether the expression with that exit still fits a kernel key.
template <class Fits>
constexpr std::int32_t grow_region(const graph& g, const node_array<node_use>& use, node_array<node_record>& records,
                                   std::int32_t anchor, Fits fits) {
  const node* const nodes = g.nodes.data();
  const shape& extents = nodes[anchor].shape;
  std::int32_t exit = anchor;
  std::int32_t members[detail::max_region]{};
  records[anchor].inside = true;
  for (;;) {
    if (use[exit].output) break;
    std::int32_t open[detail::max_region]{};  // readers of each member still outside
    int count = 1;
    members[0] = exit;
    open[0] = use[exit].readers;
    std::int32_t last = use[exit].last_reader;
    std::int32_t found = -1;
    for (std::int32_t m = exit + 1; m <= last && found < 0; ++m) {
      const node_use& u = use[m];
      if (!u.live || u.constant || records[m].state != node_state::waiting) continue;
      const node& n = nodes[m];
      bool reads = false;
      for (int i = 0; i < n.inputs; ++i) reads = reads || records[n.in[i]].inside;
      if (!reads) continue;
      if (count == detail::max_region || !detail::may_join(nodes, use, records, n, extents)) break;
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < n.inputs; ++i)
          if (n.in[i] == members[k]) {
            --open[k];
            break;
          }
      records[m].inside = true;
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
      for (int k = 1; k < count; ++k) records[members[k]].state = node_state::absorbed;
      exit = found;
      continue;
    }
    for (int k = 1; k < count; ++k) records[members[k]].inside = false;
    break;
  }
  return exit;
}

}  // namespace tkl
