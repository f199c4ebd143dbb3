// SPDX-License-Identifier: Apache-2.0
// Convolutions of tensors as expressions. Shapes and weights as in op/conv.hpp: x [N, H, W, C], w [O, C / groups, kH,
// kW] (transposed: [C, O / groups, kH, kW]), raw or packed (exec/pack_conv.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/conv.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/weights.hpp>

namespace tkl {

template <class W>
concept conv_weights_source = operand_source<W> || packed_source<W, packed_kind::conv2d>;
template <class W>
concept conv_transpose_weights_source = operand_source<W> || packed_source<W, packed_kind::conv_transpose2d>;

/// conv2d of x and w; P: fixed_params or given_params of conv2d_params.
template <operand X, class W, class P>
struct TKL_TAGGED conv2d_operation : operation_base {
  static constexpr std::string_view name = "conv2d";
  static constexpr bool is_static = X::is_static && detail::static_weights<W> && P::is_static;
  static constexpr bool in_place = false;
  using input_type = X;
  using weights_type = W;
  X x{};
  W w{};
  P params{};

  constexpr conv_rule conv() const {
    return conv2d_rule(locate(x).extents, detail::locate_weights(w).extents, params.get());
  }
  constexpr shape_or_complaint rule() const {
    const complaint c = detail::input_error("input", locate(x), "weight", detail::locate_weights(w));
    if (!c.empty()) return complain(c);
    const conv_rule r = conv();
    if (r.result.ok() && params.get().method > conv_method::direct)
      return complain(complaint{} << "method is " << name_of(params.get().method)
                                  << ", assign() runs convolutions directly: build a graph (tkl/graph.hpp)");
    if (r.result.ok() && params.get().chain == conv_chaining::always)
      return complain(complaint{} << "chain is always, assign() runs one convolution: build a graph (tkl/graph.hpp)");
    if constexpr (!operand<W>) {
      if (r.result.ok() && w.params.get().groups != params.get().groups)
        return complain(complaint{} << "the weight was packed for groups " << w.params.get().groups << ", groups is "
                                    << params.get().groups);
    }
    return r.result;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
    f("weight", w);
  }
};

/// conv_transpose2d of x and w.
template <operand X, class W, class P>
struct TKL_TAGGED conv_transpose2d_operation : operation_base {
  static constexpr std::string_view name = "conv_transpose2d";
  static constexpr bool is_static = X::is_static && detail::static_weights<W> && P::is_static;
  static constexpr bool in_place = false;
  using input_type = X;
  using weights_type = W;
  X x{};
  W w{};
  P params{};

  constexpr conv_rule conv() const {
    return conv_transpose2d_rule(locate(x).extents, detail::locate_weights(w).extents, params.get());
  }
  constexpr shape_or_complaint rule() const {
    const complaint c = detail::input_error("input", locate(x), "weight", detail::locate_weights(w));
    if (!c.empty()) return complain(c);
    const conv_rule r = conv();
    if constexpr (!operand<W>) {
      const conv_transpose2d_params &a = w.params.get(), &b = params.get();
      complaint m;
      if (a.groups != b.groups)
        m << "the weight was packed for groups " << a.groups << ", groups is " << b.groups;
      else if (!(a.stride == b.stride))
        m << "the weight was packed for stride " << a.stride.rows << ", " << a.stride.columns << ", stride is "
          << b.stride.rows << ", " << b.stride.columns;
      else if (!(a.dilation == b.dilation))
        m << "the weight was packed for dilation " << a.dilation.rows << ", " << a.dilation.columns << ", dilation is "
          << b.dilation.rows << ", " << b.dilation.columns;
      if (r.result.ok() && !m.empty()) return complain(m);
    }
    return r.result;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
    f("weight", w);
  }
};

/// Convolution. Epilogue, bias and residual are written around it: relu(conv2d(x, w, {.pad = 1}) + channel(bias)).
template <operand_source X, conv_weights_source W>
constexpr auto conv2d(X&& x, W&& w, const conv2d_params& p) {
  auto input = as_operand(std::forward<X>(x));
  auto weights = detail::as_weights(std::forward<W>(w));
  return conv2d_operation<decltype(input), decltype(weights), given_params<conv2d_params>>{{}, input, weights, {p}};
}
/// The same with parameters that are checked when the program is compiled: conv2d<conv2d_params{.stride = 2}>(x, w).
template <conv2d_params P, operand_source X, conv_weights_source W>
constexpr auto conv2d(X&& x, W&& w) {
  auto input = as_operand(std::forward<X>(x));
  auto weights = detail::as_weights(std::forward<W>(w));
  return conv2d_operation<decltype(input), decltype(weights), fixed_params<P>>{{}, input, weights, {}};
}
template <operand_source X, conv_weights_source W>
constexpr auto conv2d(X&& x, W&& w) {
  return conv2d<conv2d_params{}>(std::forward<X>(x), std::forward<W>(w));
}
/// Convolution plus bias [O].
template <operand_source X, conv_weights_source W, operand_source B>
constexpr auto conv2d(X&& x, W&& w, B&& bias, const conv2d_params& p) {
  return conv2d(std::forward<X>(x), std::forward<W>(w), p) + channel(std::forward<B>(bias));
}
template <operand_source X, conv_weights_source W, operand_source B>
constexpr auto conv2d(X&& x, W&& w, B&& bias) {
  return conv2d(std::forward<X>(x), std::forward<W>(w)) + channel(std::forward<B>(bias));
}
template <conv2d_params P, operand_source X, conv_weights_source W, operand_source B>
constexpr auto conv2d(X&& x, W&& w, B&& bias) {
  return conv2d<P>(std::forward<X>(x), std::forward<W>(w)) + channel(std::forward<B>(bias));
}

/// Transposed convolution.
template <operand_source X, conv_transpose_weights_source W>
constexpr auto conv_transpose2d(X&& x, W&& w, const conv_transpose2d_params& p) {
  auto input = as_operand(std::forward<X>(x));
  auto weights = detail::as_weights(std::forward<W>(w));
  return conv_transpose2d_operation<decltype(input), decltype(weights), given_params<conv_transpose2d_params>>{
      {}, input, weights, {p}};
}
template <conv_transpose2d_params P, operand_source X, conv_transpose_weights_source W>
constexpr auto conv_transpose2d(X&& x, W&& w) {
  auto input = as_operand(std::forward<X>(x));
  auto weights = detail::as_weights(std::forward<W>(w));
  return conv_transpose2d_operation<decltype(input), decltype(weights), fixed_params<P>>{{}, input, weights, {}};
}
template <operand_source X, conv_transpose_weights_source W>
constexpr auto conv_transpose2d(X&& x, W&& w) {
  return conv_transpose2d<conv_transpose2d_params{}>(std::forward<X>(x), std::forward<W>(w));
}
/// Transposed convolution plus bias [O].
template <operand_source X, conv_transpose_weights_source W, operand_source B>
constexpr auto conv_transpose2d(X&& x, W&& w, B&& bias, const conv_transpose2d_params& p) {
  return conv_transpose2d(std::forward<X>(x), std::forward<W>(w), p) + channel(std::forward<B>(bias));
}
template <operand_source X, conv_transpose_weights_source W, operand_source B>
constexpr auto conv_transpose2d(X&& x, W&& w, B&& bias) {
  return conv_transpose2d(std::forward<X>(x), std::forward<W>(w)) + channel(std::forward<B>(bias));
}
template <conv_transpose2d_params P, operand_source X, conv_transpose_weights_source W, operand_source B>
constexpr auto conv_transpose2d(X&& x, W&& w, B&& bias) {
  return conv_transpose2d<P>(std::forward<X>(x), std::forward<W>(w)) + channel(std::forward<B>(bias));
}

}  // namespace tkl
