// SPDX-License-Identifier: Apache-2.0
// Pooling, resizing and padding of tensors as expressions. Definitions and shape rules: op/pool.hpp, op/resize.hpp,
// op/pad.hpp.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/pad.hpp>
#include <tkl/op/pool.hpp>
#include <tkl/op/resize.hpp>

namespace tkl {

template <operand X, pool_kind Kind, class P>
struct TKL_TAGGED pool2d_operation : operation_base {
  static constexpr std::string_view name = Kind == pool_kind::max ? "max_pool2d" : "average_pool2d";
  static constexpr pool_kind kind = Kind;
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = false;
  X x{};
  P params{};

  constexpr pool_rule pool() const { return pool2d_rule(locate(x).extents, params.get()); }
  constexpr shape_or_complaint rule() const {
    const complaint c = detail::input_error("input", locate(x));
    return c.empty() ? pool().result : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

template <operand X, class P>
struct TKL_TAGGED resize_operation : operation_base {
  static constexpr std::string_view name = "resize";
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = false;
  X x{};
  P params{};

  constexpr resize_rule_result resizing() const { return resize_rule(locate(x).extents, params.get()); }
  constexpr shape_or_complaint rule() const {
    const complaint c = detail::input_error("input", locate(x));
    return c.empty() ? resizing().result : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

/// Elements before and after each axis, and the border's value.
struct pad_params {
  shape before{};
  shape after{};
  double fill = 0;
};

template <operand X, class P>
struct TKL_TAGGED pad_operation : operation_base {
  static constexpr std::string_view name = "pad";
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = false;
  static_assert(X::rank <= 4, "pad: at most four axes are possible");
  X x{};
  P params{};

  constexpr shape_or_complaint rule() const {
    const auto l = locate(x);
    const complaint c = detail::input_error("input", l);
    return c.empty() ? pad_rule(l.extents, params.get().before, params.get().after) : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

/// The largest element of each window; NaN in a window gives NaN.
template <operand_source X>
constexpr auto max_pool2d(X&& x, const max_pool2d_params& p) {
  auto input = as_operand(std::forward<X>(x));
  return pool2d_operation<decltype(input), pool_kind::max, given_params<max_pool2d_params>>{{}, input, {p}};
}
template <max_pool2d_params P, operand_source X>
constexpr auto max_pool2d(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return pool2d_operation<decltype(input), pool_kind::max, fixed_params<P>>{{}, input, {}};
}
/// The mean of each window.
template <operand_source X>
constexpr auto average_pool2d(X&& x, const average_pool2d_params& p) {
  auto input = as_operand(std::forward<X>(x));
  return pool2d_operation<decltype(input), pool_kind::average, given_params<average_pool2d_params>>{{}, input, {p}};
}
template <average_pool2d_params P, operand_source X>
constexpr auto average_pool2d(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return pool2d_operation<decltype(input), pool_kind::average, fixed_params<P>>{{}, input, {}};
}

/// Rows and columns resized by nearest neighbour or bilinear interpolation.
template <operand_source X>
constexpr auto resize(X&& x, const resize_params& p) {
  auto input = as_operand(std::forward<X>(x));
  return resize_operation<decltype(input), given_params<resize_params>>{{}, input, {p}};
}
template <resize_params P, operand_source X>
constexpr auto resize(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return resize_operation<decltype(input), fixed_params<P>>{{}, input, {}};
}

/// x inside a border of `fill`; `before`, `after`: elements along each axis, outermost first.
template <operand_source X>
constexpr auto pad(X&& x, const shape& before, const shape& after, double fill = 0) {
  auto input = as_operand(std::forward<X>(x));
  return pad_operation<decltype(input), given_params<pad_params>>{{}, input, {{before, after, fill}}};
}
template <pad_params P, operand_source X>
constexpr auto pad(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return pad_operation<decltype(input), fixed_params<P>>{{}, input, {}};
}

}  // namespace tkl
