// SPDX-License-Identifier: Apache-2.0
// Softmax, log-softmax, layer normalisation and batch normalisation of tensors as expressions. Definitions and shape
// rules: op/softmax.hpp, op/normalise.hpp.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/normalise.hpp>
#include <tkl/op/softmax.hpp>

namespace tkl {

/// The axis of a softmax: the last one.
struct softmax_params {
  int axis = -1;
  constexpr bool operator==(const softmax_params&) const = default;
};

template <operand X, bool Logarithm, class P>
struct TKL_TAGGED softmax_operation : operation_base {
  static constexpr std::string_view name = Logarithm ? "log_softmax" : "softmax";
  static constexpr bool logarithm = Logarithm;
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = true;
  X x{};
  P params{};

  constexpr shape_or_complaint rule() const {
    const auto l = locate(x);
    const complaint c = detail::input_error("input", l);
    return c.empty() ? softmax_rule(l.extents, params.get().axis) : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

template <operand X, class P>
struct TKL_TAGGED layer_norm_operation : operation_base {
  static constexpr std::string_view name = "layer_norm";
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = true;
  X x{};
  P params{};

  constexpr shape_or_complaint rule() const {
    const auto l = locate(x);
    const complaint c = detail::input_error("input", l);
    return c.empty() ? layer_norm_rule(l.extents, params.get()) : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

/// e^x over the sum of e^x along the last axis. y may take the place of x.
template <operand_source X>
constexpr auto softmax(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return softmax_operation<decltype(input), false, fixed_params<softmax_params{}>>{{}, input, {}};
}
template <operand_source X>
constexpr auto softmax(X&& x, int axis) {
  auto input = as_operand(std::forward<X>(x));
  return softmax_operation<decltype(input), false, given_params<softmax_params>>{{}, input, {{axis}}};
}
/// The logarithm of softmax, without forming it.
template <operand_source X>
constexpr auto log_softmax(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return softmax_operation<decltype(input), true, fixed_params<softmax_params{}>>{{}, input, {}};
}
template <operand_source X>
constexpr auto log_softmax(X&& x, int axis) {
  auto input = as_operand(std::forward<X>(x));
  return softmax_operation<decltype(input), true, given_params<softmax_params>>{{}, input, {{axis}}};
}

/// (x - m) / sqrt(v + eps) along the last axis, m and v its mean and population variance. y may take the place of x.
template <layer_norm_params P, operand_source X>
constexpr auto layer_norm(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return layer_norm_operation<decltype(input), fixed_params<P>>{{}, input, {}};
}
template <operand_source X>
constexpr auto layer_norm(X&& x) {
  return layer_norm<layer_norm_params{}>(std::forward<X>(x));
}
template <operand_source X>
constexpr auto layer_norm(X&& x, const layer_norm_params& p) {
  auto input = as_operand(std::forward<X>(x));
  return layer_norm_operation<decltype(input), given_params<layer_norm_params>>{{}, input, {p}};
}
/// The same times scale [C] plus offset [C].
template <operand_source X, operand_source S, operand_source O>
constexpr auto layer_norm(X&& x, S&& scale, O&& offset) {
  return affine(layer_norm(std::forward<X>(x)), channel(std::forward<S>(scale)), channel(std::forward<O>(offset)));
}
template <operand_source X, operand_source S, operand_source O>
constexpr auto layer_norm(X&& x, S&& scale, O&& offset, const layer_norm_params& p) {
  return affine(layer_norm(std::forward<X>(x), p), channel(std::forward<S>(scale)), channel(std::forward<O>(offset)));
}
template <layer_norm_params P, operand_source X, operand_source S, operand_source O>
constexpr auto layer_norm(X&& x, S&& scale, O&& offset) {
  return affine(layer_norm<P>(std::forward<X>(x)), channel(std::forward<S>(scale)), channel(std::forward<O>(offset)));
}

/// (x - mean) / sqrt(variance + eps) * scale + offset per channel, element by element: x is a tensor or an expression
/// (a convolution), the others have one axis of C values.
template <eager_argument X, operand_source S, operand_source O, operand_source M, operand_source V>
constexpr auto batch_norm(X&& x, S&& scale, O&& offset, M&& mean, V&& variance, const batch_norm_params& p = {}) {
  const auto deviation = sqrt(channel(std::forward<V>(variance)) + static_cast<float>(p.eps));
  return (as_leaf(std::forward<X>(x)) - channel(std::forward<M>(mean))) / deviation * channel(std::forward<S>(scale)) +
         channel(std::forward<O>(offset));
}

}  // namespace tkl
