// SPDX-License-Identifier: Apache-2.0
// Expressions of steps: element-wise nodes become post-fix code, and their operands become slots.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/constants.hpp>
#include <tkl/graph/passes/lowering.hpp>

namespace tkl {

/// An expression under construction: the code, and per slot the operand's place under the output's shape.
struct expression_draft {
  expr_code code{};
  int slots = 0;
  bool too_long = false;
  std::int32_t source[max_operands]{};  // node, or -1 for a literal or an index
  place operand[max_operands]{};        // broadcast to the output; for an index: stride 1 on its axis
  element type[max_operands]{};
  float literal[max_operands]{};
  leaf_kind kind[max_operands]{};  // element stands for any tensor until `finish` classifies it

  constexpr void push(symbol s) {
    if (code.fits(1)) {
      code.push(s);
    } else {
      too_long = true;
    }
  }
  /// Adds a leaf; its symbol is settled by `finish`.
  constexpr int leaf(leaf_kind k, element t) {
    if (slots == max_operands || !code.fits(1)) {
      too_long = true;
      return -1;
    }
    code.push(symbol::leaf(k, t));
    kind[slots] = k;
    type[slots] = t;
    source[slots] = -1;
    return slots++;
  }
};

/// Symbols and slots that an expression would take; nothing is added to the program.
struct expression_size {
  int symbols = 0;
  int slots = 0;
};
constexpr void measure(const lowering& l, std::int32_t id, std::int32_t anchor, bool anchor_is_map,
                       expression_size& size) {
  if (size.symbols > max_code) return;
  ++size.symbols;
  if (id == anchor && !anchor_is_map) {
    const int extra = l.at(id).kind == op_kind::layer_norm ? l.at(id).inputs - 1 : 0;
    size.symbols += extra + (extra > 0), size.slots += extra;
    return;
  }
  if (!l.records[id].inside) {
    ++size.slots;
    return;
  }
  const node& n = l.at(id);
  if (n.kind == op_kind::keep_first) size.symbols += 4, size.slots += 3;
  if (n.kind == op_kind::batch_norm) size.symbols += 2, size.slots += 2;
  if (n.kind == op_kind::cast) --size.symbols;
  for (int i = 0; i < (n.kind == op_kind::map ? n.inputs : 1); ++i) measure(l, n.in[i], anchor, anchor_is_map, size);
}

constexpr void draft_literal(expression_draft& d, double v) {
  const int s = d.leaf(leaf_kind::literal, element::f32);
  if (s >= 0) d.literal[s] = static_cast<float>(v);
}

/// A value that is read from memory, or a literal.
constexpr void draft_operand(lowering& l, expression_draft& d, std::int32_t id, const shape& extents) {
  const node& n = l.at(id);
  if (n.kind == op_kind::literal) return draft_literal(d, n.attr.real[0]);
  const int s = d.leaf(leaf_kind::element, n.type);
  if (s < 0) return;
  d.source[s] = id;
  const place& p = l.use_of(id).constant ? constant_place(l, id) : l.place_of(id);
  d.operand[s] = broadcast_to(p, extents);
}

/// The value of node `id` at a place of the output: acc for the anchor, code for members of the region, else an
/// operand.
constexpr void draft_value(lowering& l, expression_draft& d, std::int32_t id, std::int32_t anchor, const shape& extents,
                           bool anchor_is_map);

/// The operation of a member (or of an element-wise anchor) on its operands.
constexpr void draft_operation(lowering& l, expression_draft& d, std::int32_t id, std::int32_t anchor,
                               const shape& extents, bool anchor_is_map) {
  const node& n = l.at(id);
  const auto sub = [&](std::int32_t x) { draft_value(l, d, x, anchor, extents, anchor_is_map); };
  switch (n.kind) {
    case op_kind::map:
      for (int i = 0; i < n.inputs; ++i) sub(n.in[i]);
      d.push(symbol::function(n.attr.function));
      return;
    case op_kind::cast:
      sub(n.in[0]);
      return;
    case op_kind::batch_norm: {
      const batch_norm_loads b = load_batch_norm(l, id);
      sub(n.in[0]);
      for (const std::int16_t source : {b.scale, b.shift}) {
        packed_tensor t;
        t.source = source;
        const int s = d.leaf(leaf_kind::element, element::f32);
        const place p = dense_place(add_packed(l, t, id), shape(n.shape.back(0)));
        if (s >= 0) d.operand[s] = broadcast_to(p, extents);
      }
      d.push(symbol::function(function_index<fn::affine>));
      return;
    }
    case op_kind::keep_first: {  // select(index < count, x, 0)
      const int s = d.leaf(leaf_kind::index, element::f32);
      if (s >= 0) {
        d.operand[s].storage = 0;
        d.operand[s].extents = extents;
        d.operand[s].stride[n.attr.axis] = 1;
      }
      draft_operand(l, d, n.in[1], extents);
      d.push(symbol::function(function_index<fn::less>));
      sub(n.in[0]);
      draft_literal(d, 0);
      d.push(symbol::function(function_index<fn::select>));
      return;
    }
    default:
      return;
  }
}

constexpr void draft_value(lowering& l, expression_draft& d, std::int32_t id, std::int32_t anchor, const shape& extents,
                           bool anchor_is_map) {
  if (id == anchor && !anchor_is_map) {
    const node& n = l.at(id);
    d.push(symbol::leaf(leaf_kind::acc));
    if (n.kind != op_kind::layer_norm || n.inputs == 1) return;
    for (int i = 1; i < n.inputs; ++i) draft_operand(l, d, n.in[i], extents);  // scale, offset
    d.push(symbol::function(n.inputs == 3 ? function_index<fn::affine> : function_index<fn::mul>));
  } else if (l.records[id].inside) {
    draft_operation(l, d, id, anchor, extents, anchor_is_map);
  } else {
    draft_operand(l, d, id, extents);
  }
}

/// Kind of a tensor leaf from its strides along the plan's axes: what varies along columns, what only along rows.
constexpr leaf_kind classify(const edge& e, const std::int32_t* extent) {
  bool outer = false;
  for (int i = 0; i + 1 < plan_rank; ++i) outer = outer || (e.stride[i] != 0 && extent[i] != 1);
  const std::int32_t inner = extent[plan_rank - 1] == 1 ? 0 : e.stride[plan_rank - 1];
  if (inner == 0) return outer ? leaf_kind::row : leaf_kind::scalar;
  if (inner != 1) return leaf_kind::strided;
  return outer ? leaf_kind::element : leaf_kind::channel;
}

/// Settles the leaf kinds from the slots' edges (which must be there already, -1 for literals and indices).
constexpr expr_code settle(const lowering& l, const expression_draft& d, const std::int16_t* edges,
                           const std::int32_t* extent) {
  expr_code code = d.code;
  int slot = 0;
  for (int i = 0; i < code.size; ++i) {
    if (!code.at[i].has_operand()) continue;
    if (edges[slot] >= 0)
      code.at[i] = symbol::leaf(classify(l.out.edges[static_cast<std::size_t>(edges[slot])], extent), d.type[slot]);
    ++slot;
  }
  return code.size == 1 && code.at[0] == symbol::leaf(leaf_kind::acc) ? expr_code{} : code;
}

/// Edges and literals of a draft whose output has at most four axes, which stand on the last plan axes. `axis_of` maps
/// an output axis to a plan axis.
template <std::size_t N>
constexpr void finish_slots(lowering& l, const expression_draft& d, std::int16_t (&edges)[N], float (&literals)[N],
                            int rank) {
  for (int s = 0; s < d.slots && s < static_cast<int>(N); ++s) {
    edges[s] = -1;
    literals[s] = d.literal[s];
    if (d.kind[s] == leaf_kind::index) {
      for (int i = 0; i < rank; ++i)
        if (d.operand[s].stride[i] == 1) literals[s] = static_cast<float>(i + plan_rank - rank);
    } else if (d.kind[s] == leaf_kind::element) {
      edges[s] = add_edge(l, d.operand[s], d.type[s], d.source[s] >= 0 ? report_name(l, d.source[s]) : -1);
    }
  }
}

}  // namespace tkl
