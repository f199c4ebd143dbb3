// SPDX-License-Identifier: Apache-2.0
// Epilogues that do nothing but bound a value from below and above: none at all, relu, relu6, clip to numbers. A
// register tile applies them as two numbers, without a function of its own for each.
#pragma once

#include <limits>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/expr/node.hpp>

namespace tkl {

/// min(max(x, low), high), x where x is NaN.
struct value_bounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  /// Whether no bound is NaN.
  constexpr bool ordered() const { return low == low && high == high; }
};

TKL_ISA_BEGIN

/// Whether bounds_of exists for an expression.
template <class E>
inline constexpr bool only_bounds = false;
template <>
inline constexpr bool only_bounds<acc_node> = true;
template <>
inline constexpr bool only_bounds<apply_node<fn::relu, acc_node>> = true;
template <>
inline constexpr bool only_bounds<apply_node<fn::relu6, acc_node>> = true;
template <>
inline constexpr bool only_bounds<apply_node<fn::clip, acc_node, literal_node, literal_node>> = true;

TKL_FN value_bounds bounds_of(const acc_node&) {
  return {};
}
TKL_FN value_bounds bounds_of(const apply_node<fn::relu, acc_node>&) {
  return {.low = 0.0f};
}
TKL_FN value_bounds bounds_of(const apply_node<fn::relu6, acc_node>&) {
  return {0.0f, 6.0f};
}
TKL_FN value_bounds bounds_of(const apply_node<fn::clip, acc_node, literal_node, literal_node>& e) {
  return {e.b.value, e.c.value};
}

TKL_ISA_END
}  // namespace tkl
