// SPDX-License-Identifier: Apache-2.0
// Concatenation of tensors as an expression. Shape rule: op/concat.hpp.
#pragma once

#include <cstddef>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/concat.hpp>
#include <tkl/op/expression.hpp>
#include <tuple>

namespace tkl {

/// The axis along which tensors are joined.
struct concat_params {
  int axis = 0;
  constexpr bool operator==(const concat_params&) const = default;
};

template <class P, operand... X>
struct TKL_TAGGED concat_operation : operation_base {
  static constexpr std::string_view name = "concat";
  static constexpr bool is_static = P::is_static && (... && X::is_static);
  static constexpr bool in_place = false;
  std::tuple<X...> parts{};
  P params{};

  constexpr shape_or_complaint rule() const {
    return std::apply(
        [&](const X&... x) {
          complaint c;
          ((c = c.empty() ? detail::input_error("part", locate(x)) : c), ...);
          if (!c.empty()) return complain(c);
          const shape shapes[]{locate(x).extents...};
          return concat_rule(shapes, static_cast<int>(sizeof...(X)), params.get().axis);
        },
        parts);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    std::apply([&](const X&... x) { (f("part", x), ...); }, parts);
  }
};

/// The tensors one after another along `axis` (negative: from the end).
template <operand_source... X>
requires(sizeof...(X) > 0) constexpr auto concat(int axis, X&&... x) {
  return concat_operation<given_params<concat_params>, operand_of<X>...>{
      {}, std::tuple<operand_of<X>...>(as_operand(std::forward<X>(x))...), {{axis}}};
}
template <concat_params P, operand_source... X>
requires(sizeof...(X) > 0) constexpr auto concat(X&&... x) {
  return concat_operation<fixed_params<P>, operand_of<X>...>{
      {}, std::tuple<operand_of<X>...>(as_operand(std::forward<X>(x))...), {}};
}

}  // namespace tkl
