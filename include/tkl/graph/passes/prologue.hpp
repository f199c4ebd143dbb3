// SPDX-License-Identifier: Apache-2.0
// Prologue: what stands between a graph's picture and its first convolution (conversion from u8, normalising, channel
// order, masking, layout) is applied to each element as the convolution loads it.
//
// Rule: a convolution with few input channels stages its input rows; going backwards from it, element-wise nodes with
// constants per channel as other operands and views are absorbed while they have one reader and are no output. Below a
// view only operations with single numbers may stand. Obligation: padding is zero *after* the prologue, as in the
// graph.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/expressions.hpp>
#include <vector>

namespace tkl {

/// The input of a staged convolution: nodes from the one next to the convolution down to the base that is loaded.
struct prologue_chain {
  std::vector<std::int32_t> nodes{};
  std::int32_t base = -1;
};

constexpr bool stages_input(const lowering& l, const node& n) {
  if (n.kind != op_kind::conv2d) return false;
  const node& x = l.at(n.in[0]);
  const bool direct = n.attr.method <= static_cast<std::uint8_t>(conv_method::direct);
  return direct && n.attr.groups == 1 && n.attr.dilation[1] == 1 && x.shape[3] <= l.facts.staged_channels;
}

/// Whether staging pays: several taps meet consecutive columns of scratch, or the base is not a plain f32 tensor.
constexpr bool staging_pays(lowering& l, const node& conv, const prologue_chain& c) {
  const bool taps = l.facts.stages_plain && conv.attr.kernel[0] * conv.attr.kernel[1] > 1;
  if (taps || !c.nodes.empty()) return true;
  return l.at(c.base).type != element::f32 || (l.place_of(c.base).assigned() && !l.place_of(c.base).consecutive());
}

constexpr prologue_chain find_prologue(const lowering& l, std::int32_t conv) {
  prologue_chain c;
  std::int32_t id = l.at(conv).in[0];
  bool view_seen = false;
  int slots = 0;
  for (;;) {
    const node& n = l.at(id);
    const node_use& u = l.use_of(id);
    if (u.output || u.readers != 1 || u.constant) break;
    if (n.kind == op_kind::slice || n.kind == op_kind::transpose) {
      view_seen = true;
      c.nodes.push_back(id);
      id = n.in[0];
      continue;
    }
    std::int32_t main = n.in[0];
    if (n.kind == op_kind::keep_first) {
      if (view_seen || !facts_of(l.at(n.in[1]).kind).leaf) break;
      slots += 3;
    } else if (n.kind == op_kind::map) {
      int others = 0;
      main = -1;
      for (int i = 0; i < n.inputs; ++i) {
        const node& x = l.at(n.in[i]);
        const bool is_small = l.use_of(n.in[i]).constant && detail::is_per_channel(x, n.shape.back(0)) &&
                              (!view_seen || x.shape.back(0) == 1);
        if (!is_small) main = n.in[i], ++others;
        slots += is_small;
      }
      if (others != 1 || !(l.at(main).shape == n.shape)) break;
    } else if (n.kind != op_kind::cast || n.type != element::f32) {
      break;
    }
    if (slots > prologue_operands) break;
    c.nodes.push_back(id);
    id = main;
  }
  c.base = id;
  if (l.at(id).kind !=
      op_kind::input) {  // a step computes the base: its epilogue is the better place for element-wise nodes
    c.nodes.clear();
    c.base = l.at(conv).in[0];
  }
  return c;
}

/// Marks the nodes of a chain as absorbed, before any step is made.
constexpr void absorb_prologue(lowering& l, const prologue_chain& c) {
  for (std::int32_t id : c.nodes) l.state_of(id) = node_state::absorbed;
}

/// The base as seen through the chain's views, in the coordinates of the convolution's input.
constexpr place prologue_place(lowering& l, const prologue_chain& c) {
  place p = l.use_of(c.base).constant ? constant_place(l, c.base) : l.place_of(c.base);
  for (std::size_t i = c.nodes.size(); i-- > 0;) {
    const node& n = l.at(c.nodes[i]);
    if (n.kind == op_kind::slice) p = sliced(p, n.shape, n.attr.begin, n.attr.step);
    if (n.kind == op_kind::transpose) p = transposed(p, n.attr.permutation);
  }
  return p;
}

/// The chain's operations as an expression of the loaded element.
constexpr void draft_prologue(lowering& l, expression_draft& d, const prologue_chain& c, std::size_t index,
                              const shape& extents) {
  if (index == c.nodes.size()) return d.push(symbol::leaf(leaf_kind::acc));
  const std::int32_t id = c.nodes[index];
  const node& n = l.at(id);
  if (n.kind == op_kind::map) {
    const std::int32_t main = index + 1 < c.nodes.size() ? c.nodes[index + 1] : c.base;
    for (int i = 0; i < n.inputs; ++i) {
      if (n.in[i] == main) {
        draft_prologue(l, d, c, index + 1, extents);
      } else {
        draft_operand(l, d, n.in[i], extents);
      }
    }
    d.push(symbol::function(n.attr.function));
  } else if (n.kind == op_kind::keep_first) {
    const int s = d.leaf(leaf_kind::index, element::f32);
    if (s >= 0) {
      d.operand[s].storage = 0;
      d.operand[s].extents = extents;
      d.operand[s].stride[n.attr.axis] = 1;
    }
    draft_operand(l, d, n.in[1], extents);
    d.push(symbol::function(function_index<fn::less>));
    draft_prologue(l, d, c, index + 1, extents);
    draft_literal(d, 0);
    d.push(symbol::function(function_index<fn::select>));
  } else {
    draft_prologue(l, d, c, index + 1, extents);
  }
}

}  // namespace tkl
