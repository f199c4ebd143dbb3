// SPDX-License-Identifier: Apache-2.0
// Load time: raw tensors of a file, folded and packed into the one buffer that kernels read.
//
// The load nodes are evaluated in double precision, one packed tensor at a time; what is read from the file is not
// kept.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/pack_depthwise.hpp>
#include <tkl/algo/pack_winograd.hpp>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/level_vector.hpp>
#include <tkl/exec/number_converter.hpp>
#include <tkl/exec/safetensors.hpp>
#include <tkl/expr/real_functions.hpp>
#include <tkl/graph/program.hpp>
#include <tkl/target/convert.hpp>

namespace tkl {

/// What loading needs of a plan.
struct load_view {
  const load_node* loads = nullptr;
  int load_count = 0;
  const channel_fold* folds = nullptr;
  const packed_tensor* packed = nullptr;
  int packed_count = 0;
  const char* names = nullptr;
  std::int64_t weights_bytes = 0;
  int panel = 1;  // columns of a panel
  int width = 1;  // lanes of a vector
  std::uint64_t layout_hash = 0;
  const real_function* functions = nullptr;  // by number: those that the load nodes call
  element narrow = element::f32;             // target_facts::packed
  bool wide_biases = false;
};

/// Bit n: some load node calls function n.
constexpr std::uint64_t functions_called(const load_node* loads, int count) {
  std::uint64_t mask = 0;
  for (int i = 0; i < count; ++i)
    if (loads[i].kind == op_kind::map) mask |= std::uint64_t{1} << loads[i].function;
  return mask;
}

TKL_ISA_BEGIN

/// Evaluates load nodes over one weights file.
class load_evaluator {
 public:
  load_evaluator(const load_view& plan, const safetensors& file, const number_converter& converter)
      : plan_(plan),
        file_(file),
        converter_(converter),
        readers_(static_cast<std::size_t>(plan.load_count)),
        kept_(static_cast<std::size_t>(plan.load_count)) {
    for (int i = 0; i < plan.load_count; ++i)
      for (const std::int16_t x : plan.loads[i].in)
        if (x >= 0) ++readers_[static_cast<std::size_t>(x)];
  }

  /// Elements of a node in row-major order. What several nodes read is computed once, since a chain of such nodes would
  /// take twice the time with each; weights are read again.
  TKL_COLD impl::level_vector<double> values(int id) const {
    const auto i = static_cast<std::size_t>(id);
    if (readers_[i] < 2 || plan_.loads[id].kind == op_kind::weight) return computed(plan_.loads[id]);
    if (kept_[i].empty()) kept_[i] = computed(plan_.loads[id]);
    return kept_[i];
  }

 private:
  TKL_COLD impl::level_vector<double> computed(const load_node& n) const {
    switch (n.kind) {
      case op_kind::weight:
        return raw(n);
      case op_kind::literal:
        return {static_cast<double>(n.number)};
      case op_kind::reshape:
        return values(n.in[0]);
      case op_kind::transpose:
        return transposed(n);
      case op_kind::concat:
        return concatenated(n);
      case op_kind::batch_norm:
        return batch_norm(n);
      default:
        return mapped(n);
    }
  }

  static std::int64_t count(const load_node& n) {
    std::int64_t c = 1;
    for (int i = 0; i < n.rank; ++i) c *= n.extent[i];
    return c;
  }

  TKL_COLD impl::level_vector<double> raw(const load_node& n) const {
    const safetensors::tensor* t = file_.find(plan_.names + n.name);
    impl::level_vector<double> v(static_cast<std::size_t>(count(n)));
    const auto convert = [&](auto x) {
      for (std::size_t i = 0; i < v.size(); ++i) {
        std::memcpy(&x, t->data + i * sizeof x, sizeof x);
        v[i] = static_cast<double>(x);
      }
    };
    // Data of a file has any alignment, what is converted in runs has that of its type.
    const auto widen = [&](auto zero) {
      constexpr std::size_t most = 1024;
      decltype(zero) stored[most];
      float wide[most];
      for (std::size_t i = 0; i < v.size(); i += most) {
        const std::size_t count = v.size() - i < most ? v.size() - i : most;
        std::memcpy(stored, t->data + i * sizeof zero, count * sizeof zero);
        converter_(stored, wide, static_cast<std::int64_t>(count));
        for (std::size_t k = 0; k < count; ++k) v[i + k] = static_cast<double>(wide[k]);
      }
    };
    switch (t->type) {
      case element::f32:
        convert(0.0f);
        break;
      case element::f16:
        widen(half{});
        break;
      case element::bf16:
        widen(bfloat16{});
        break;
      case element::i8:
        convert(std::int8_t{});
        break;
      case element::u8:
        convert(std::uint8_t{});
        break;
      case element::i32:
        convert(std::int32_t{});
        break;
    }
    return v;
  }

  /// Index of the element of `x` that broadcasts to element `i` of `n`.
  static std::int64_t source_index(const load_node& n, const load_node& x, std::int64_t i) {
    std::int64_t index = 0, step = 1;
    for (int axis = n.rank - 1, from = x.rank - 1; axis >= 0; --axis, --from) {
      const std::int64_t at = i % n.extent[axis];
      i /= n.extent[axis];
      if (from < 0) continue;
      if (x.extent[from] != 1) index += at * step;
      step *= x.extent[from];
    }
    return index;
  }

  TKL_COLD impl::level_vector<double> mapped(const load_node& n) const {
    impl::level_vector<double> operand[3];
    const int arity = function_list::arities[n.function];
    for (int k = 0; k < arity; ++k) operand[k] = values(n.in[k]);
    impl::level_vector<double> v(static_cast<std::size_t>(count(n)));
    for (std::size_t i = 0; i < v.size(); ++i) {
      double x[3]{};
      for (int k = 0; k < arity; ++k)
        x[k] =
            operand[k][static_cast<std::size_t>(source_index(n, plan_.loads[n.in[k]], static_cast<std::int64_t>(i)))];
      v[i] = plan_.functions[n.function](x);
    }
    return v;
  }

  TKL_COLD impl::level_vector<double> transposed(const load_node& n) const {
    const load_node& x = plan_.loads[n.in[0]];
    const impl::level_vector<double> from = values(n.in[0]);
    std::int64_t stride[load_rank]{};
    for (int i = x.rank - 1, step = 1; i >= 0; --i) stride[i] = step, step *= x.extent[i];
    impl::level_vector<double> v(from.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i), index = 0;
      for (int axis = n.rank - 1; axis >= 0; --axis) {
        index += rest % n.extent[axis] * stride[n.aux >> (2 * axis) & 3];
        rest /= n.extent[axis];
      }
      v[i] = from[static_cast<std::size_t>(index)];
    }
    return v;
  }

  TKL_COLD impl::level_vector<double> concatenated(const load_node& n) const {
    std::int64_t outer = 1, inner = 1;
    for (int i = 0; i < n.aux; ++i) outer *= n.extent[i];
    for (int i = n.aux + 1; i < n.rank; ++i) inner *= n.extent[i];
    impl::level_vector<double> v(static_cast<std::size_t>(count(n)));
    std::int64_t at = 0;
    for (const std::int16_t id : n.in) {
      if (id < 0) break;
      const impl::level_vector<double> part = values(id);
      const std::int64_t run = plan_.loads[id].extent[n.aux] * inner;
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t k = 0; k < run; ++k)
          v[static_cast<std::size_t>(o * n.extent[n.aux] * inner + at + k)] =
              part[static_cast<std::size_t>(o * run + k)];
      at += run;
    }
    return v;
  }

  /// aux 0: scale / sqrt(variance + eps); aux 1: offset - mean * that.
  TKL_COLD impl::level_vector<double> batch_norm(const load_node& n) const {
    impl::level_vector<double> v = values(n.in[0]);
    const impl::level_vector<double> b = values(n.in[1]);
    if (n.aux == 0) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] /= std::sqrt(b[i] + static_cast<double>(n.number));
    } else {
      const impl::level_vector<double> scale = values(n.in[2]);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= b[i] * scale[i];
    }
    return v;
  }

  const load_view& plan_;
  const safetensors& file_;
  const number_converter& converter_;
  impl::level_vector<int> readers_;  // load nodes that read a load node
  mutable impl::level_vector<impl::level_vector<double>> kept_;
};

/// Scale and bias per output channel that a packed tensor's folds amount to.
struct folded_affine {
  impl::level_vector<double> scale, bias;
};
TKL_COLD inline folded_affine fold_of(const load_view& plan, const load_evaluator& e, const packed_tensor& p,
                                      std::size_t channels) {
  folded_affine a{impl::level_vector<double>(channels, 1.0), impl::level_vector<double>(channels, 0.0)};
  if (p.bias >= 0) a.bias = e.values(p.bias);
  for (int f = p.fold_begin; f < p.fold_begin + p.fold_count; ++f) {
    const channel_fold& fold = plan.folds[f];
    const impl::level_vector<double> x = e.values(fold.in[0]);
    const impl::level_vector<double> y = fold.in[1] >= 0 ? e.values(fold.in[1]) : impl::level_vector<double>{0.0};
    for (std::size_t c = 0; c < channels; ++c) {
      const double u = x[x.size() == 1 ? 0 : c], t = y[y.size() == 1 ? 0 : c];
      switch (fold.kind) {
        case fold_kind::add:
          a.bias[c] += u;
          break;
        case fold_kind::sub:
          a.bias[c] -= u;
          break;
        case fold_kind::sub_from:
          a.scale[c] = -a.scale[c], a.bias[c] = u - a.bias[c];
          break;
        case fold_kind::mul:
          a.scale[c] *= u, a.bias[c] *= u;
          break;
        case fold_kind::div:
          a.scale[c] /= u, a.bias[c] /= u;
          break;
        case fold_kind::affine:
          a.scale[c] *= u, a.bias[c] = a.bias[c] * u + t;
          break;
      }
    }
  }
  return a;
}

namespace impl {

template <class V, class T>
void narrow_all(const level_vector<V>& from, T* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = narrow<T>(static_cast<double>(from[i]));
}

/// Numbers as they are, in their element type.
template <class V>
TKL_COLD void pack_plain(const level_vector<V>& v, element type, std::byte* bytes) {
  switch (type) {
    case element::f32:
      return narrow_all(v, reinterpret_cast<float*>(bytes));
    case element::f16:
      return narrow_all(v, reinterpret_cast<half*>(bytes));
    case element::bf16:
      return narrow_all(v, reinterpret_cast<bfloat16*>(bytes));
    case element::i8:
      return narrow_all(v, reinterpret_cast<std::int8_t*>(bytes));
    case element::u8:
      return narrow_all(v, reinterpret_cast<std::uint8_t*>(bytes));
    case element::i32:
      return narrow_all(v, reinterpret_cast<std::int32_t*>(bytes));
  }
}

}  // namespace impl

/// Panels of a contraction's weights, with its folds, in f32.
TKL_COLD inline void pack_panels(const load_view& plan, const load_evaluator& e, const packed_tensor& p,
                                 const impl::level_vector<double>& v, float* out) {
  const load_node& n = plan.loads[p.source];
  const panel_shape panels{plan.panel, plan.width};
  const std::int64_t a = n.extent[0], b = n.extent[1];
  const std::int64_t channels = p.kind == pack_kind::conv_transpose2d ? b * p.groups
                                : p.kind == pack_kind::matrix         ? b
                                                                      : a;
  const folded_affine f = fold_of(plan, e, p, static_cast<std::size_t>(channels));
  switch (p.kind) {
    case pack_kind::conv2d:
      return pack_conv2d(v.data(), conv_weights{b * p.groups, a, {n.extent[2], n.extent[3]}, p.groups}, f.scale.data(),
                         f.bias.data(), panels, out);
    case pack_kind::depthwise:
      return pack_depthwise(v.data(), a, std::int64_t{n.extent[2]} * n.extent[3], f.scale.data(), f.bias.data(),
                            plan.width, out);
    case pack_kind::conv_transpose2d: {
      const std::int64_t stride[2]{p.stride[0], p.stride[1]}, dilation[2]{p.dilation[0], p.dilation[1]};
      return pack_conv_transpose2d(v.data(), conv_weights{a, b * p.groups, {n.extent[2], n.extent[3]}, p.groups},
                                   stride, dilation, f.scale.data(), f.bias.data(), panels, out);
    }
    case pack_kind::matrix:
      return pack_matrix(v.data(), b, 1, a, b, f.scale.data(), f.bias.data(), panels, out);
    case pack_kind::matrix_transposed:
      return pack_matrix(v.data(), 1, b, b, a, f.scale.data(), f.bias.data(), panels, out);
    case pack_kind::winograd2:
    case pack_kind::winograd4:
      return pack_winograd(p.kind == pack_kind::winograd2 ? 2 : 4, v.data(), b, a, f.scale.data(), f.bias.data(),
                           panels, out);
    case pack_kind::plain:
      return;
  }
}

TKL_ISA_END
}  // namespace tkl
