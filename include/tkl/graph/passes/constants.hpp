// SPDX-License-Identifier: Apache-2.0
// Fold: what depends on weights alone is computed once, when they are loaded, and per-channel affine steps behind a
// contraction move into its packed weights.
//
// Rule: y = conv(x, w) followed by + b, - b, * s, / s, x * s + t or batch norm with one constant per output channel (or
// one for all) becomes conv(x, w') with scale and bias folded. Legal with one reader and not for a graph output; the
// weight itself stays as it is for other readers. Obligation: equal to the unfolded graph up to rounding, since the map
// is linear in the sum. It must not move across an activation, and never *before* a zero-padded contraction.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/lowering.hpp>

namespace tkl {

constexpr std::int16_t push_load(lowering& l, const load_node& n) {
  if (!numbered(l, l.out.loads, "load nodes")) return 0;
  l.out.loads.push_back(n);
  return static_cast<std::int16_t>(l.out.loads.size() - 1);
}

/// The load node of a constant graph node, added with what it depends on.
constexpr std::int16_t load_node_of(lowering& l, std::int32_t id) {
  std::int16_t& cached = l.records[id].load;
  if (cached >= 0) return cached;
  const node& n = l.at(id);
  load_node r;
  r.kind = n.kind;
  r.type = n.type;
  r.rank = static_cast<std::uint8_t>(n.shape.rank);
  r.function = static_cast<std::int16_t>(n.attr.function);
  r.name = n.kind == op_kind::weight ? n.name : -1;
  r.number = static_cast<float>(n.attr.real[0]);
  for (int i = 0; i < n.shape.rank; ++i) {
    if (n.shape[i] > 0x7fffffff) {
      text<200> m;
      l.fail(id, (m << "an extent of a constant with shape " << n.shape << " exceeds 2147483647").view());
    }
    r.extent[i] = static_cast<std::int32_t>(n.shape[i]);
  }
  for (int i = 0; i < n.inputs && i < 3; ++i) r.in[i] = load_node_of(l, n.in[i]);
  if (n.kind == op_kind::transpose)
    for (int i = 0; i < n.shape.rank; ++i) r.aux = static_cast<std::uint8_t>(r.aux | n.attr.permutation[i] << (2 * i));
  if (n.kind == op_kind::concat) r.aux = static_cast<std::uint8_t>(n.attr.axis);
  return cached = push_load(l, r);
}

/// The affine form of a batch norm, x * scale + shift, as two load nodes. Ioffe and Szegedy, 2015.
struct batch_norm_loads {
  std::int16_t scale = -1;
  std::int16_t shift = -1;
};
constexpr batch_norm_loads load_batch_norm(lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  load_node r;
  r.kind = op_kind::batch_norm;
  r.rank = 1;
  r.extent[0] = static_cast<std::int32_t>(n.shape.back(0));
  r.number = static_cast<float>(n.attr.real[0]);
  r.in[0] = load_node_of(l, n.in[1]);  // scale
  r.in[1] = load_node_of(l, n.in[4]);  // variance
  const std::int16_t scale = push_load(l, r);
  r.aux = 1;
  r.in[0] = load_node_of(l, n.in[2]);  // offset
  r.in[1] = load_node_of(l, n.in[3]);  // mean
  r.in[2] = scale;
  return {scale, push_load(l, r)};
}

/// Elements that a packed tensor takes: panels begin with the bias row, columns are padded to whole vectors.
constexpr checked packed_elements(const packed_tensor& p, const load_node& source, std::int64_t width) {
  const std::int64_t a = source.extent[0], b = source.extent[1],
                     taps = std::int64_t{source.extent[2]} * source.extent[3];
  switch (p.kind) {
    case pack_kind::plain: {
      checked n = 1;
      for (int i = 0; i < source.rank; ++i) n = n * source.extent[i];
      return round_up(n, width);
    }
    case pack_kind::conv2d:
      return checked(p.groups) * round_up(a / p.groups, width) * (checked(taps) * b + 1);
    case pack_kind::depthwise:
      return checked(round_up(a, width)) * (taps + 1);
    case pack_kind::conv_transpose2d:
      return checked(p.groups) * round_up(b, width) *
             (checked(taps) * (a / p.groups) + std::int64_t{p.stride[0]} * p.stride[1]);
    case pack_kind::matrix:
      return checked(round_up(b, width)) * (1 + a);
    case pack_kind::matrix_transposed:
      return checked(round_up(a, width)) * (1 + b);
    case pack_kind::winograd2:
    case pack_kind::winograd4: {
      const std::int64_t side = p.kind == pack_kind::winograd2 ? 4 : 6;
      return checked(round_up(a, width)) * (1 + side * side * (1 + b));
    }
  }
  return 0;
}

/// Elements of those that are biases.
constexpr std::int64_t packed_biases(const packed_tensor& p, const load_node& source, std::int64_t width) {
  const std::int64_t a = source.extent[0], b = source.extent[1];
  switch (p.kind) {
    case pack_kind::conv2d:
      return p.groups * round_up(a / p.groups, width);
    case pack_kind::conv_transpose2d:
      return p.groups * round_up(b, width) * p.stride[0] * p.stride[1];
    case pack_kind::matrix:
      return round_up(b, width);
    case pack_kind::depthwise:
    case pack_kind::matrix_transposed:
      return round_up(a, width);
    default:
      return 0;
  }
}

/// Adds the packed weights of node `id` (or the constant `id` itself) at the end and gives their storage.
constexpr std::int32_t add_packed(lowering& l, packed_tensor p, std::int32_t id) {
  const checked bytes = packed_elements(p, l.out.loads[static_cast<std::size_t>(p.source)], l.facts.width) *
                        static_cast<std::int64_t>(size_of(p.type));
  const checked end = round_up(bytes + l.out.weights_bytes, buffer_alignment);
  if (!bytes.valid) {
    fail_count(l, id, "its packed weights take", "bytes");
  } else if (!end.valid) {
    fail_count(l, id, "with it, all packed weights take", "bytes");
  }
  p.offset = l.out.weights_bytes;
  p.bytes = end.valid ? bytes.value : 0;
  l.out.weights_bytes = end.valid ? end.value : p.offset;
  l.out.packed.push_back(p);
  const std::int32_t s = new_storage(l, space::weights, p.bytes, report_name(l, id));
  l.out.storages.back().offset = p.offset;
  return s;
}

/// The place of a constant that is read as it is, in the type that the graph gives it.
constexpr const place& constant_place(lowering& l, std::int32_t id) {
  place& p = l.place_of(id);
  if (!p.assigned()) {
    packed_tensor t;
    t.source = load_node_of(l, id);
    t.type = l.at(id).type;
    p = dense_place(add_packed(l, t, id), l.at(id).shape);
  }
  return p;
}

namespace detail {

/// Whether a constant holds one value for each of `channels` (on the last axis), or a single one.
constexpr bool is_per_channel(const node& n, std::int64_t channels) {
  for (int i = 0; i + 1 < n.shape.rank; ++i)
    if (n.shape[i] != 1) return false;
  return n.shape.back(0) == 1 || n.shape.back(0) == channels;
}

constexpr bool fold_operand(lowering& l, std::int32_t id, std::int64_t channels) {
  return l.use_of(id).constant && is_per_channel(l.at(id), channels);
}

}  // namespace detail

/// Folds the affine nodes that follow `id` into the packed tensor; returns the last node folded (or `id`).
constexpr std::int32_t fold_affine(lowering& l, std::int32_t id, packed_tensor& p) {
  const std::int64_t channels = l.at(id).shape.back(0);
  p.fold_begin = static_cast<std::int16_t>(l.out.folds.size());
  for (;;) {
    const node_use& u = l.use_of(id);
    if (u.output || u.readers != 1) break;
    const std::int32_t next = u.last_reader;
    const node& n = l.at(next);
    if (!(n.shape == l.at(id).shape) || n.type != element::f32) break;
    channel_fold f;
    if (n.kind == op_kind::batch_norm) {
      const batch_norm_loads b = load_batch_norm(l, next);
      f = {fold_kind::affine, {b.scale, b.shift}};
    } else if (n.kind == op_kind::map) {
      const bool first = n.in[0] == id;
      const std::int32_t other = first ? n.in[1] : n.in[0];
      if (n.inputs < 2 || !detail::fold_operand(l, other, channels)) break;
      const int k = n.attr.function;
      if (k == function_index<fn::add>) {
        f.kind = fold_kind::add;
      } else if (k == function_index<fn::sub>) {
        f.kind = first ? fold_kind::sub : fold_kind::sub_from;
      } else if (k == function_index<fn::mul>) {
        f.kind = fold_kind::mul;
      } else if (k == function_index<fn::div> && first) {
        f.kind = fold_kind::div;
      } else if (k == function_index<fn::affine> && first && detail::fold_operand(l, n.in[2], channels)) {
        f.kind = fold_kind::affine;
        f.in[1] = load_node_of(l, n.in[2]);
      } else {
        break;
      }
      f.in[0] = load_node_of(l, other);
    } else {
      break;
    }
    if (!numbered(l, l.out.folds, "folds")) break;
    l.out.folds.push_back(f);
    ++p.fold_count;
    l.state_of(id) = node_state::absorbed;
    id = next;
  }
  return id;
}

}  // namespace tkl
