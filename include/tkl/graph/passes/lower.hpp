// SPDX-License-Identifier: Apache-2.0
// Lower: every anchor with its region becomes one step. Nodes are visited in the order in which they were built, which
// is the order of the steps.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/destinations.hpp>
#include <tkl/graph/passes/expressions.hpp>
#include <tkl/graph/passes/fuse.hpp>
#include <tkl/graph/passes/prologue.hpp>

namespace tkl {

namespace detail {

/// Ends a region: its members are no longer inside, its exit is ready.
constexpr void close_region(lowering& l, std::int32_t anchor, std::int32_t exit) {
  for (std::int32_t i = anchor; i <= exit; ++i) {
    if (!l.records[i].inside) continue;
    l.records[i].inside = false;
    l.state_of(i) = node_state::absorbed;
  }
  l.state_of(exit) = node_state::ready;
}

constexpr std::int32_t grow(lowering& l, std::int32_t anchor, bool anchor_is_map) {
  return grow_region(l.g, l.use, l.records, anchor, [&](std::int32_t exit) {
    expression_size size;
    measure(l, exit, anchor, anchor_is_map, size);
    return size.symbols <= max_code && size.slots <= max_operands;
  });
}

}  // namespace detail

/// An element-wise step over `count` places merged to at most four axes: the output first, then the draft's operands.
constexpr void push_map(lowering& l, const expression_draft& d, const place& out, element type, std::int32_t name,
                        std::int32_t id) {
  place all[max_operands + 1]{};
  all[0] = out;
  for (int s = 0; s < d.slots; ++s) {
    all[s + 1] = d.operand[s];
    if (!d.operand[s].assigned()) all[s + 1] = broadcast_to(dense_place(0, shape{}), out.extents);  // literal
  }
  const merged_places<max_operands + 1> m = merge_axes<max_operands + 1>(all, d.slots + 1, out.extents);
  if (m.rank > plan_rank) {
    text<240> what;
    what << "the axes of its operands merge to " << m.rank << ", a step has " << plan_rank;
    return l.fail(id, what.view());
  }
  const auto merged = [&](int k, std::int32_t storage) {
    place p;
    p.storage = storage;
    p.offset = all[k].offset;
    p.extents.rank = m.rank;
    for (int i = 0; i < m.rank; ++i) {
      p.extents[i] = m.extent[i];
      p.stride[i] = m.stride[k][i];
    }
    return p;
  };
  step s;
  s.algorithm = algorithm::map;
  s.name = name;
  expression_draft flat = d;
  for (int k = 0; k < d.slots; ++k) flat.operand[k] = merged(k + 1, d.operand[k].storage);
  finish_slots(l, flat, s.operand, s.literal, m.rank);
  s.out = add_edge(l, merged(0, out.storage), type, name);
  if (l.failed()) return;
  kernel_key key;
  key.algorithm = algorithm::map;
  key.out = type;
  const edge& e = l.out.edges[static_cast<std::size_t>(s.out)];
  key.variant[0] = e.stride[plan_rank - 1] == 1 || e.extent[plan_rank - 1] == 1 ? 0 : 1;
  key.epilogue = settle(l, flat, s.operand, e.extent);
  s.kernel = kernel_of(l, key);
  int functions = 0;
  for (int i = 0; i < key.epilogue.size; ++i) functions += !key.epilogue.at[i].is_leaf();
  push_step(l, s, id, out.extents.elements() * functions);
}

/// A step that only moves data: from one place to another of the same shape.
constexpr void push_copy(lowering& l, const place& from, const place& to, element from_type, element to_type,
                         std::int32_t name, std::int32_t id) {
  expression_draft d;
  const int s = d.leaf(leaf_kind::element, from_type);
  d.operand[s] = from;
  d.source[s] = id;
  push_map(l, d, to, to_type, name, id);
  if (from_type == to_type) ++l.out.conversions;
}

/// The place of a value whose innermost axis is consecutive: its own, or that of a copy.
constexpr place consecutive_place(lowering& l, std::int32_t id) {
  const place p = l.use_of(id).constant ? constant_place(l, id) : l.place_of(id);
  if (p.consecutive()) return p;
  const node& n = l.at(id);
  const place copy = dense_place(value_storage(l, space::arena, id, report_name(l, id)), p.extents);
  push_copy(l, p, copy, n.type, n.type, report_name(l, id), id);
  return copy;
}

/// Puts the axes of a tensor of rank 3 at plan axes 0, 2 and 3: batch, rows, columns.
constexpr place with_row_axis(const place& p) {
  if (p.extents.rank != 3) return p;
  place r = p;
  r.extents = shape(p.extents[0], 1, p.extents[1], p.extents[2]);
  r.stride[0] = p.stride[0], r.stride[1] = 0, r.stride[2] = p.stride[1], r.stride[3] = p.stride[2];
  return r;
}

/// Fuses what follows `acc_id` (the anchor or the last node folded into it) and completes the step: epilogue, output
/// edge, key.
constexpr void finish_step(lowering& l, step& s, kernel_key& key, std::int32_t anchor, std::int32_t acc_id,
                           checked flops) {
  const node& n = l.at(acc_id);
  const std::int32_t exit = n.type == element::f32 ? detail::grow(l, acc_id, false) : acc_id;
  expression_draft d;
  draft_value(l, d, exit, acc_id, n.shape, false);
  detail::close_region(l, acc_id, exit);
  if (anchor != exit) l.state_of(anchor) = node_state::absorbed;
  ensure_place(l, exit);
  const bool rows = key.algorithm == algorithm::attention || key.algorithm == algorithm::matmul;
  if (rows)
    for (int k = 0; k < d.slots; ++k) d.operand[k] = with_row_axis(d.operand[k]);
  finish_slots(l, d, s.operand, s.literal, rows && n.shape.rank == 3 ? 4 : n.shape.rank);
  s.out =
      rows ? add_edge(l, with_row_axis(l.place_of(exit)), l.at(exit).type, report_name(l, exit)) : own_edge(l, exit);
  if (l.failed()) return;
  const edge& out = l.out.edges[static_cast<std::size_t>(s.out)];
  key.out = out.type;
  key.epilogue = settle(l, d, s.operand, out.extent);
  s.algorithm = key.algorithm;
  s.kernel = kernel_of(l, key);
  s.name = report_name(l, exit);
  push_step(l, s, anchor, flops);
}

}  // namespace tkl
