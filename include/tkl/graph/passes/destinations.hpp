// SPDX-License-Identifier: Apache-2.0
// Destinations: values that are parts of a concatenation, or graph outputs, are written where they are wanted.
//
// Rule: a part of a concatenation that a step computes, and that has no destination yet, lies inside the
// concatenation's storage; an output that a step computes lies in the caller's buffer. Outer concatenations are settled
// before inner ones. Obligation: a value has one place; everything else that needs it elsewhere copies it, in a step of
// its own.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/lowering.hpp>

namespace tkl {

namespace detail {

/// Whether a step computes this node's value, so that its place may be chosen.
constexpr bool is_computed(const lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  return !l.use_of(id).constant && !facts_of(n.kind).leaf && !facts_of(n.kind).view;
}

/// Part `index` of a concatenation that lies at `whole`.
constexpr place part_of(const lowering& l, const node& concat, const place& whole, int index) {
  std::int64_t begin[max_rank]{}, step[max_rank]{1, 1, 1, 1, 1, 1};
  for (int i = 0; i < index; ++i) begin[concat.attr.axis] += l.at(concat.in[i]).shape[concat.attr.axis];
  return sliced(whole, l.at(concat.in[index]).shape, begin, step);
}

}  // namespace detail

/// The caller's buffer of output `index` as a place.
constexpr place output_place(lowering& l, int index) {
  const graph_output& o = l.g.outputs[static_cast<std::size_t>(index)];
  const node& n = l.at(o.node);
  const std::int32_t s = value_storage(l, space::output, o.node, o.name >= 0 ? o.name : report_name(l, o.node),
                                       static_cast<std::int16_t>(index));
  return o.layout == memory_layout::nchw ? nchw_place(s, n.shape) : dense_place(s, n.shape);
}

/// Chooses destinations before any step is made; returns per output its place.
constexpr std::vector<place> choose_destinations(lowering& l) {
  std::vector<place> outputs;
  for (int i = 0; i < static_cast<int>(l.g.outputs.size()); ++i) {
    const graph_output& o = l.g.outputs[static_cast<std::size_t>(i)];
    const place p = output_place(l, i);
    outputs.push_back(p);
    l.out.outputs.push_back(
        add_edge(l, p, l.at(o.node).type, l.out.storages[static_cast<std::size_t>(p.storage)].name));
    // A kernel writes consecutive columns: another order in the caller's memory is reached by a copy.
    if (detail::is_computed(l, o.node) && !l.place_of(o.node).assigned() && p.consecutive()) l.place_of(o.node) = p;
  }
  for (auto id = static_cast<std::int32_t>(l.g.nodes.size()) - 1; id >= 0; --id) {
    const node& n = l.at(id);
    if (n.kind != op_kind::concat || !l.use_of(id).live || l.use_of(id).constant) continue;
    ensure_place(l, id);
    for (int i = 0; i < n.inputs; ++i) {
      const std::int32_t x = n.in[i];
      bool twice = false;
      for (int k = 0; k < i; ++k) twice = twice || n.in[k] == x;
      const place part = detail::part_of(l, n, l.place_of(id), i);
      if (!twice && detail::is_computed(l, x) && !l.place_of(x).assigned() && part.consecutive()) l.place_of(x) = part;
    }
  }
  return outputs;
}

}  // namespace tkl
