// SPDX-License-Identifier: Apache-2.0
// Packing convolution weights once, so that assign() reads them where they lie: result<packed<...>>, from weights as
// the framework wrote them, optionally with the bias with which the sums then start.
//
//   auto w = pack_conv2d(raw, bias);                                    groups 1, this unit's architecture
//   auto w = pack_conv2d<conv2d_params{.groups = 32}>(raw);             groups known to the compiler
//   auto w = pack_conv2d(raw, {.groups = groups});                      groups known when the program runs
//   auto w = pack_conv2d<conv2d_params{}, arch::avx2, conv_schedule{.mr = 4, .nr = 3}>(raw);   architecture and
//   schedule
//
// Of a schedule only nr matters. Raw weights are f32, row-major without gaps; panels are f32.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/pack_depthwise.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/raw_weights.hpp>
#include <tkl/op/conv_expression.hpp>
#include <tkl/schedule/conv.hpp>

namespace tkl {
namespace detail {

/// Weights O, I / groups, kH, kW: one filter per channel.
constexpr bool is_depthwise(std::int64_t groups, const shape& weights) {
  return groups > 1 && weights[1] == 1;
}

constexpr conv_weights conv_weights_of(const shape& w, std::int64_t groups) {
  return {(checked(w[1]) * groups).or_largest(), w[0], {w[2], w[3]}, groups};
}
constexpr conv_weights conv_transpose_weights_of(const shape& w, std::int64_t groups) {
  return {w[0], (checked(w[1]) * groups).or_largest(), {w[2], w[3]}, groups};
}

/// Elements of the packed weights of a convolution.
constexpr std::int64_t packed_elements(const conv2d_params& p, const shape& w, std::int64_t width) {
  if (is_depthwise(p.groups, w)) return packed_depthwise_elements(w[0], (checked(w[2]) * w[3]).or_largest(), width);
  return packed_conv2d_elements(conv_weights_of(w, p.groups), width);
}
constexpr std::int64_t packed_elements(const conv_transpose2d_params& p, const shape& w, std::int64_t width) {
  const std::int64_t stride[2]{p.stride.rows, p.stride.columns};
  return packed_conv_transpose2d_elements(conv_transpose_weights_of(w, p.groups), stride, width);
}

}  // namespace detail

TKL_ISA_BEGIN
namespace impl {

/// Packs raw weights of a convolution for a schedule with nr vectors.
template <class T>
void pack_weights(const conv2d_params& p, const T* w, const shape& s, const T* bias, packed_panels panels, float* out) {
  if (tkl::detail::is_depthwise(p.groups, s)) {
    pack_depthwise(w, s[0], s[2] * s[3], static_cast<const T*>(nullptr), bias, panels.width, out);
  } else {
    pack_conv2d(w, tkl::detail::conv_weights_of(s, p.groups), static_cast<const T*>(nullptr), bias,
                panel_shape{panels.panel, panels.width}, out);
  }
}
template <class T>
void pack_weights(const conv_transpose2d_params& p, const T* w, const shape& s, const T* bias, packed_panels panels,
                  float* out) {
  const std::int64_t stride[2]{p.stride.rows, p.stride.columns}, dilation[2]{p.dilation.rows, p.dilation.columns};
  pack_conv_transpose2d(w, tkl::detail::conv_transpose_weights_of(s, p.groups), stride, dilation,
                        static_cast<const T*>(nullptr), bias, panel_shape{panels.panel, panels.width}, out);
}

/// Packs convolution weights of either kind.
template <packed_kind Kind, packed_panels Panels, class P, class T, class L, class B>
result<packed<Kind, L, P, Panels>> pack_convolution(std::string_view op, const view<const T, L>& w, const B& bias,
                                                    const P& params) {
  const auto& p = params.get();
  const shape s = w.shape();
  complaint c;
  if (s.rank != 4)
    c << "weight has shape " << s << " with " << s.rank << " axes, needs 4";
  else
    c = Kind == packed_kind::conv2d ? tkl::detail::need_groups(p.groups, 0, s[0])
                                    : tkl::detail::need_groups(p.groups, s[0], 0);
  for (int axis = 0; axis < 2 && c.empty(); ++axis) {
    c = need_attribute(axis, "stride", p.stride[axis], 1);
    if (c.empty()) c = need_attribute(axis, "dilation", p.dilation[axis], 1);
  }
  message_text m;
  if (!c.empty()) return status::failure(m << op << ": " << c.view());
  const std::int64_t channels = Kind == packed_kind::conv2d ? s[0] : (checked(s[1]) * p.groups).or_largest();
  if (status good = check_raw(op, w, bias, channels); !good) return good;
  auto made =
      packed<Kind, L, P, Panels>::allocate(tkl::detail::packed_elements(p, s, Panels.width), w.layout(), params);
  if (made) pack_weights(p, w.data(), s, bias_data<T>(bias), Panels, made->data());
  return made;
}

}  // namespace impl

/// Weights O, I / groups, kH, kW of conv2d.
template <conv2d_params P, class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W>
auto pack_conv2d(const W& w) {
  return impl::pack_convolution<packed_kind::conv2d, impl::panels_for<Arch, S.nr>>("pack_conv2d", impl::raw_weights(w),
                                                                                   impl::no_bias{}, fixed_params<P>{});
}
template <conv2d_params P, class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W, operand_source B>
auto pack_conv2d(const W& w, const B& bias) {
  return impl::pack_convolution<packed_kind::conv2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv2d", impl::raw_weights(w), impl::raw_weights(bias), fixed_params<P>{});
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W>
auto pack_conv2d(const W& w) {
  return pack_conv2d<conv2d_params{}, Arch, S>(w);
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W, operand_source B>
auto pack_conv2d(const W& w, const B& bias) {
  return pack_conv2d<conv2d_params{}, Arch, S>(w, bias);
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W>
auto pack_conv2d(const W& w, const conv2d_params& p) {
  return impl::pack_convolution<packed_kind::conv2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv2d", impl::raw_weights(w), impl::no_bias{}, given_params<conv2d_params>{p});
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W, operand_source B>
auto pack_conv2d(const W& w, const B& bias, const conv2d_params& p) {
  return impl::pack_convolution<packed_kind::conv2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv2d", impl::raw_weights(w), impl::raw_weights(bias), given_params<conv2d_params>{p});
}

/// Weights I, O / groups, kH, kW of conv_transpose2d; stride, dilation and groups decide the order of the panels.
template <conv_transpose2d_params P, class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W>
auto pack_conv_transpose2d(const W& w) {
  return impl::pack_convolution<packed_kind::conv_transpose2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv_transpose2d", impl::raw_weights(w), impl::no_bias{}, fixed_params<P>{});
}
template <conv_transpose2d_params P, class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W,
          operand_source B>
auto pack_conv_transpose2d(const W& w, const B& bias) {
  return impl::pack_convolution<packed_kind::conv_transpose2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv_transpose2d", impl::raw_weights(w), impl::raw_weights(bias), fixed_params<P>{});
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W>
auto pack_conv_transpose2d(const W& w, const conv_transpose2d_params& p) {
  return impl::pack_convolution<packed_kind::conv_transpose2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv_transpose2d", impl::raw_weights(w), impl::no_bias{}, given_params<conv_transpose2d_params>{p});
}
template <class Arch = arch::native, conv_schedule S = Arch::conv, operand_source W, operand_source B>
auto pack_conv_transpose2d(const W& w, const B& bias, const conv_transpose2d_params& p) {
  return impl::pack_convolution<packed_kind::conv_transpose2d, impl::panels_for<Arch, S.nr>>(
      "pack_conv_transpose2d", impl::raw_weights(w), impl::raw_weights(bias), given_params<conv_transpose2d_params>{p});
}

TKL_ISA_END
}  // namespace tkl
