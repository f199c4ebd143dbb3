// SPDX-License-Identifier: Apache-2.0
// One function per kind of anchor: which algorithm runs it, with which operands, parameters and packed weights.
#pragma once

#include <cstdint>
#include <tkl/graph/conv_choice.hpp>
#include <tkl/graph/passes/lower.hpp>
#include <tkl/schedule/depthwise.hpp>

namespace tkl {

namespace detail {

constexpr void copy_window(step_parameters& p, const attributes& a) {
  for (int i = 0; i < 2; ++i) p.kernel[i] = a.kernel[i], p.stride[i] = a.stride[i], p.dilation[i] = a.dilation[i];
  for (int i = 0; i < 4; ++i) p.pad[i] = a.pad[i];
  p.groups = a.groups;
}

/// The input edge of a step: consecutive columns, four axes.
constexpr std::int16_t input_edge(lowering& l, std::int32_t id) {
  const bool own = !l.use_of(id).constant && l.place_of(id).consecutive();
  if (own) return own_edge(l, id);
  return add_edge(l, consecutive_place(l, id), l.at(id).type, report_name(l, id));
}

/// Packs the weights of node `id` and gives the edge that reads them.
constexpr std::int16_t add_packed_edge(lowering& l, const packed_tensor& w, std::int32_t id) {
  const std::int32_t s = add_packed(l, w, id);
  return add_edge(l, dense_place(s, shape(l.out.packed.back().bytes / 4)), element::f32, report_name(l, id));
}

constexpr bool require_constant(lowering& l, std::int32_t id, std::int32_t weight) {
  if (l.use_of(weight).constant) return true;
  l.fail(id, "its weights are computed at run time; they must come from the weights file");
  return false;
}

/// The Winograd method of a convolution: what the node asks for, or the fastest; direct where none is to run.
constexpr conv_method method_of(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const attributes& a = n.attr;
  const auto asked = static_cast<conv_method>(a.method);
  const bool can = l.facts.winograd && l.facts.stored == element::f32 && n.type == element::f32;
  if (winograd_outputs(asked) != 0) {
    if (can) return asked;
    text<160> m;
    m << "method is " << name_of(asked) << ", ";
    if (!l.facts.winograd) {
      m << "this target runs convolutions directly (it has no such kernel, or is exact<>)";
    } else if (l.facts.stored != element::f32) {
      m << "half storage runs convolutions directly: it would round transformed weights";
    } else {
      m << "which is for f32, the input is " << name_of(n.type);
    }
    l.fail(id, m.view());
  }
  if (!can || asked == conv_method::direct) return conv_method::direct;
  return chosen_method(a, n.shape, l.at(n.in[0]).shape[3], l.facts);
}

/// Leaves to the pass `form_chains` what a node says of its input; complains where its step never takes rows.
constexpr bool note_chaining(lowering& l, std::int32_t id, step& s, algorithm chosen) {
  const std::uint8_t asked = l.at(id).attr.chain;
  if (asked == static_cast<std::uint8_t>(conv_chaining::automatic)) return true;
  const bool by_rows = chosen == algorithm::conv2d || chosen == algorithm::depthwise;
  if (by_rows) s.parameters.mode = asked;
  if (asked == static_cast<std::uint8_t>(conv_chaining::never) || (by_rows && l.facts.chains)) return true;
  text<160> m;
  m << "chain is always, ";
  if (!l.facts.chains) {
    m << "this target has no chains of convolutions";
  } else {
    m << "it runs as " << name_of(chosen) << ", which takes its input whole";
  }
  l.fail(id, m.view());
  return false;
}

}  // namespace detail

/// conv2d: implicit GEMM, staged, depthwise or Winograd; the affine nodes behind it fold into its weights.
constexpr void lower_conv2d(lowering& l, std::int32_t id, const prologue_chain* chain) {
  const node& n = l.at(id);
  const node& x = l.at(n.in[0]);
  if (!detail::require_constant(l, id, n.in[1])) return;
  step s;
  kernel_key key;
  packed_tensor w;
  detail::copy_window(s.parameters, n.attr);
  w.groups = n.attr.groups;
  w.source = load_node_of(l, n.in[1]);
  if (n.inputs > 2) w.bias = load_node_of(l, n.in[2]);
  const bool depthwise = n.attr.groups > 1 && n.attr.groups == x.shape[3];
  if (chain != nullptr) {
    key.algorithm = algorithm::conv2d_staged;
    const node& base = l.at(chain->base);
    expression_draft d;
    draft_prologue(l, d, *chain, 0, x.shape);
    finish_slots(l, d, s.prologue_operand, s.prologue_literal, x.shape.rank);
    const place p = prologue_place(l, *chain);
    s.in[0] = add_edge(l, p, base.type, report_name(l, chain->base));
    key.in = base.type;
    if (l.failed()) return;
    key.prologue = settle(l, d, s.prologue_operand, l.out.edges[static_cast<std::size_t>(s.in[0])].extent);
  } else {
    const int tile = depthwise ? 0 : winograd_outputs(detail::method_of(l, id));
    key.algorithm = depthwise ? algorithm::depthwise : tile != 0 ? algorithm::winograd : algorithm::conv2d;
    s.in[0] = detail::input_edge(l, n.in[0]);
    key.in = x.type;
    if (depthwise) {
      const depthwise_schedule d =
          depthwise_schedule_for(n.attr.kernel[0], n.attr.kernel[1], n.attr.stride[1], n.attr.dilation[1],
                                 n.shape[3] / x.shape[3], depthwise_schedule{}.tile);
      key.variant[0] = static_cast<std::uint8_t>(d.rows);
      key.variant[1] = static_cast<std::uint8_t>(d.columns);
      key.variant[2] = static_cast<std::uint8_t>(d.stride);
    }
    if (tile != 0) key.variant[0] = s.parameters.mode = static_cast<std::uint8_t>(tile);
  }
  if (!detail::note_chaining(l, id, s, key.algorithm)) return;
  w.kind = pack_kind::conv2d;
  if (key.algorithm == algorithm::depthwise) w.kind = pack_kind::depthwise;
  if (key.algorithm == algorithm::winograd) w.kind = key.variant[0] == 2 ? pack_kind::winograd2 : pack_kind::winograd4;
  const std::int32_t folded = fold_affine(l, id, w);
  s.weight = detail::add_packed_edge(l, w, id);
  const checked taps = checked(n.attr.kernel[0]) * n.attr.kernel[1] * (x.shape[3] / n.attr.groups);
  finish_step(l, s, key, id, folded, n.shape.elements() * 2 * taps);
}

constexpr void lower_conv_transpose2d(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const node& x = l.at(n.in[0]);
  if (!detail::require_constant(l, id, n.in[1])) return;
  step s;
  kernel_key key;
  key.algorithm = algorithm::conv_transpose2d;
  key.in = x.type;
  detail::copy_window(s.parameters, n.attr);
  packed_tensor w;
  w.kind = pack_kind::conv_transpose2d;
  w.groups = n.attr.groups;
  for (int i = 0; i < 2; ++i)
    w.stride[i] = n.attr.stride[i], w.dilation[i] = n.attr.dilation[i], w.pad[i] = n.attr.pad[i];
  w.source = load_node_of(l, n.in[1]);
  if (n.inputs > 2) w.bias = load_node_of(l, n.in[2]);
  s.in[0] = detail::input_edge(l, n.in[0]);
  const std::int32_t folded = fold_affine(l, id, w);
  s.weight = detail::add_packed_edge(l, w, id);
  const checked per_pixel = checked(n.attr.kernel[0]) * n.attr.kernel[1] * (n.shape[3] / n.attr.groups);
  finish_step(l, s, key, id, folded, x.shape.elements() * 2 * per_pixel);
}

/// A product with a constant second operand is a 1x1 convolution over rows and shares its kernels; with two computed
/// operands it is a step of its own.
constexpr void lower_matmul(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const node& a = l.at(n.in[0]);
  const node& b = l.at(n.in[1]);
  step s;
  kernel_key key;
  key.in = a.type;
  const std::int64_t inner = n.attr.transpose_a ? a.shape.back(1) : a.shape.back(0);
  const checked flops = n.shape.elements() * 2 * inner;
  const bool packed =
      l.use_of(n.in[1]).constant && b.shape.rank == 2 && !n.attr.transpose_a && n.shape.rank <= plan_rank;
  if (packed) {
    packed_tensor w;
    w.kind = n.attr.transpose_b ? pack_kind::matrix_transposed : pack_kind::matrix;
    w.source = load_node_of(l, n.in[1]);
    key.algorithm = algorithm::conv2d;
    s.in[0] = detail::input_edge(l, n.in[0]);
    const std::int32_t folded = fold_affine(l, id, w);
    s.weight = detail::add_packed_edge(l, w, n.in[1]);
    return finish_step(l, s, key, id, folded, flops);
  }
  if (!fits_step(l, id, n.shape, "a product of computed operands")) return;
  key.algorithm = algorithm::matmul;
  const auto operand = [&](std::int32_t x, bool transpose) {
    place p = l.use_of(x).constant ? constant_place(l, x) : l.place_of(x);
    std::int32_t permutation[max_rank]{0, 1, 2, 3, 4, 5};
    const int r = p.extents.rank;
    if (transpose) permutation[r - 2] = r - 1, permutation[r - 1] = r - 2;
    p = transposed(p, permutation);
    if (p.stride[r - 1] != 1 && p.extents[r - 1] != 1 && p.stride[r - 2] != 1 && p.extents[r - 2] != 1) {
      const place copy = dense_place(value_storage(l, space::arena, x, report_name(l, x)), p.extents);
      push_copy(l, p, copy, l.at(x).type, l.at(x).type, report_name(l, x), x);
      p = copy;
    }
    shape full = n.shape;  // batch axes of the product, own rows and columns
    full[n.shape.rank - 2] = p.extents[r - 2];
    full[n.shape.rank - 1] = p.extents[r - 1];
    return add_edge(l, with_row_axis(broadcast_to(p, full)), l.at(x).type, report_name(l, x));
  };
  s.in[0] = operand(n.in[0], n.attr.transpose_a);
  s.in[1] = operand(n.in[1], n.attr.transpose_b);
  if (l.failed()) return;
  const auto columns_apart = [&](std::int16_t e) {
    const edge& x = l.out.edges[static_cast<std::size_t>(e)];
    return x.stride[3] != 1 && x.extent[3] != 1;
  };
  key.variant[0] = columns_apart(s.in[0]) ? 1 : 0;
  key.variant[1] = columns_apart(s.in[1]) ? 1 : 0;
  finish_step(l, s, key, id, id, flops);
}

constexpr void lower_pool2d(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  step s;
  kernel_key key;
  key.algorithm = algorithm::pool2d;
  key.in = n.type;
  key.variant[0] = n.attr.mode;
  detail::copy_window(s.parameters, n.attr);
  s.parameters.include_pad = n.attr.count_include_pad;
  s.parameters.mode = n.attr.mode;
  s.in[0] = detail::input_edge(l, n.in[0]);
  finish_step(l, s, key, id, id, n.shape.elements() * n.attr.kernel[0] * n.attr.kernel[1]);
}

/// A reduction's result is described with the reduced axes kept as 1, so that both edges have the same axes.
constexpr void lower_reduce(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const node& x = l.at(n.in[0]);
  if (!fits_step(l, id, x.shape, "the input of a reduction")) return;
  step s;
  kernel_key key;
  key.algorithm = algorithm::reduce;
  key.in = x.type;
  key.variant[0] = n.attr.mode;
  shape kept = x.shape;
  int shift = plan_rank - x.shape.rank;
  for (int i = 0; i < x.shape.rank; ++i) {
    if (!(n.attr.axes >> i & 1u)) continue;
    kept[i] = 1;
    s.parameters.axes = static_cast<std::uint8_t>(s.parameters.axes | 1 << (i + shift));
  }
  key.variant[1] = s.parameters.axes;
  s.parameters.mode = n.attr.mode;
  s.in[0] = detail::input_edge(l, n.in[0]);
  if (n.shape == kept) return finish_step(l, s, key, id, id, x.shape.elements());
  ensure_place(l, id);  // axes were dropped: no epilogue, the output edge is the kept view
  const place out = reshaped(l.place_of(id), kept);
  if (!out.assigned()) return l.fail(id, "its result has no place with the reduced axes kept");
  s.out = add_edge(l, out, n.type, report_name(l, id));
  key.out = n.type;
  s.algorithm = key.algorithm;
  s.kernel = kernel_of(l, key);
  s.name = report_name(l, id);
  l.state_of(id) = node_state::ready;
  push_step(l, s, id, x.shape.elements());
}

/// softmax, layer_norm: rows of consecutive columns.
constexpr void lower_rows(lowering& l, std::int32_t id, algorithm which) {
  const node& n = l.at(id);
  if (!fits_step(l, id, n.shape, "a row operation")) return;
  step s;
  kernel_key key;
  key.algorithm = which;
  key.in = l.at(n.in[0]).type;
  key.variant[0] = n.attr.mode;
  s.parameters.mode = n.attr.mode;
  s.parameters.real[0] = static_cast<float>(n.attr.real[0]);
  s.in[0] = detail::input_edge(l, n.in[0]);
  finish_step(l, s, key, id, id, n.shape.elements() * 8);
}

constexpr void lower_attention(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  step s;
  kernel_key key;
  key.algorithm = algorithm::attention;
  key.in = n.type;
  key.variant[0] = n.inputs > 3 ? 1 : 0;
  s.parameters.heads = n.attr.heads;
  s.parameters.groups = n.attr.groups;
  s.parameters.real[0] = static_cast<float>(n.attr.real[0]);
  for (int i = 0; i < 3; ++i)
    s.in[i] = add_edge(l, with_row_axis(consecutive_place(l, n.in[i])), l.at(n.in[i]).type, report_name(l, n.in[i]));
  const shape& q = l.at(n.in[0]).shape;
  const shape& k = l.at(n.in[1]).shape;
  s.parameters.reach = static_cast<std::int32_t>(reach_of(static_cast<causality>(n.attr.mode), q.back(1), k.back(1)));
  if (n.inputs > 3) {
    const place mask = l.use_of(n.in[3]).constant ? constant_place(l, n.in[3]) : l.place_of(n.in[3]);
    const shape scores(q.back(2), n.attr.heads, q.back(1), k.back(1));
    s.in[3] = add_edge(l, broadcast_to(mask, scores), l.at(n.in[3]).type, report_name(l, n.in[3]));
  }
  finish_step(l, s, key, id, id, (q.elements() + n.shape.elements()) * k.back(1) * 2);
}

constexpr void lower_resize2d(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  step s;
  kernel_key key;
  key.algorithm = algorithm::resize2d;
  key.in = n.type;
  key.variant[0] = n.attr.mode;
  s.parameters.mode = n.attr.mode;
  s.parameters.coordinates = n.attr.coordinates;
  s.parameters.rounding = n.attr.rounding;
  for (int i = 0; i < 2; ++i) s.parameters.real[i] = static_cast<float>(n.attr.real[i]);
  s.in[0] = detail::input_edge(l, n.in[0]);
  finish_step(l, s, key, id, id, n.shape.elements() * (n.attr.mode ? 7 : 0));
}

/// A constant border; the elements before each axis are the step's pad and stride numbers: before in `pad`.
constexpr void lower_pad(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  if (!fits_step(l, id, n.shape, "a padded tensor")) return;
  step s;
  kernel_key key;
  key.algorithm = algorithm::pad;
  key.in = n.type;
  const int shift = plan_rank - n.shape.rank;
  for (int i = 0; i < n.shape.rank; ++i) s.parameters.pad[i + shift] = static_cast<std::int32_t>(n.attr.begin[i]);
  s.parameters.real[0] = static_cast<float>(n.attr.real[0]);
  s.in[0] = detail::input_edge(l, n.in[0]);
  finish_step(l, s, key, id, id, 0);
}

/// An element-wise anchor: it and its region become one map.
constexpr void lower_map(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const std::int32_t exit = n.type == element::f32 ? detail::grow(l, id, true) : id;
  l.records[id].inside = true;
  expression_draft d;
  draft_value(l, d, exit, id, n.shape, true);
  detail::close_region(l, id, exit);
  if (d.too_long) return l.fail(id, "its expression does not fit a kernel");
  ensure_place(l, exit);
  push_map(l, d, l.place_of(exit), l.at(exit).type, report_name(l, exit), id);
}

/// A concatenation: parts that were not written in place are copied.
constexpr void lower_concat(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  for (int i = 0; i < n.inputs; ++i) {
    const place part = detail::part_of(l, n, l.place_of(id), i);
    const place& x = l.use_of(n.in[i]).constant ? constant_place(l, n.in[i]) : l.place_of(n.in[i]);
    if (x.storage == part.storage && x.offset == part.offset) continue;
    if (part.extents.elements().value == 0) continue;
    push_copy(l, x, part, l.at(n.in[i]).type, n.type, report_name(l, id), id);
  }
  l.state_of(id) = node_state::ready;
}

/// A view: arithmetic on the input's place, or a copy where the new shape needs other strides.
constexpr void lower_view(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  const place x = l.use_of(n.in[0]).constant ? constant_place(l, n.in[0]) : l.place_of(n.in[0]);
  place p;
  if (n.kind == op_kind::slice) {
    p = sliced(x, n.shape, n.attr.begin, n.attr.step);
  } else if (n.kind == op_kind::transpose) {
    p = transposed(x, n.attr.permutation);
  } else {
    p = reshaped(x, n.shape);
    if (!p.assigned()) {
      const place copy = dense_place(value_storage(l, space::arena, id, report_name(l, id)), x.extents);
      push_copy(l, x, copy, n.type, n.type, report_name(l, id), id);
      p = reshaped(copy, n.shape);
    }
  }
  l.place_of(id) = p;
  l.state_of(id) = node_state::ready;
}

}  // namespace tkl
