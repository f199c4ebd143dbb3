// SPDX-License-Identifier: Apache-2.0
// The vocabulary math<V>: what a value type must offer so that every function of expr/functions.hpp works on it.
//
// A machine's header specialises math<V> for its value: double here, SIMD batches in target/cpu.hpp, names in generated
// text elsewhere. Function templates look their math up in this class template: overloads found by argument-dependent
// lookup would not be found in time.
//
// Every specialisation defines, as static functions of V (besides + - * and unary minus of V itself):
//   constant(float)            that number in every lane
//   fma(a, b, c)               a * b + c; rounded once where the machine has it
//   div(a, b)                  the quotient, correctly rounded; batch types may divide less exactly by their operator /
//   max(a, b)  min(a, b)       NaN if either operand is NaN, in any order (IEEE 754-2019 maximum, minimum)
//   at_least(a, bound)  at_most(a, bound)      max and min for a bound that is not NaN: cheaper; the sign of a zero may
//   be
//                              that of either operand
//   abs sqrt floor round       round: to nearest, ties to even
//   select_less(a, b, x, y)    a < b ? x : y, false for NaN; selects, never multiplies
//   select_equal(a, b, x, y)   a == b ? x : y, false for NaN
//   exp_nonpositive(a)         e^a for a <= 0: cheaper where the machine can
//   exp log tanh erf expm1 log1p sigmoid pow   with the errors that docs/numerics.md states
#pragma once

#include <cmath>
#include <tkl/config.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class V>
struct math;

/// The reference: double precision, the C++ library's functions.
template <>
struct math<double> {
  using V = double;
  TKL_FN static V constant(float v) { return static_cast<double>(v); }
  TKL_FN static V fma(V a, V b, V c) { return a * b + c; }
  TKL_FN static V div(V a, V b) { return a / b; }
  TKL_FN static V(max)(V a, V b) { return a != a ? a : b != b ? b : a < b ? b : a; }
  TKL_FN static V(min)(V a, V b) { return a != a ? a : b != b ? b : b < a ? b : a; }
  TKL_FN static V at_least(V a, V bound) { return (max)(a, bound); }
  TKL_FN static V at_most(V a, V bound) { return (min)(a, bound); }
  TKL_FN static V abs(V a) { return std::fabs(a); }
  TKL_FN static V sqrt(V a) { return std::sqrt(a); }
  TKL_FN static V floor(V a) { return std::floor(a); }
  TKL_FN static V round(V a) { return std::nearbyint(a); }
  TKL_FN static V select_less(V a, V b, V x, V y) { return a < b ? x : y; }
  TKL_FN static V select_equal(V a, V b, V x, V y) { return a == b ? x : y; }
  TKL_FN static V exp(V a) { return std::exp(a); }
  TKL_FN static V exp_nonpositive(V a) { return std::exp(a); }
  TKL_FN static V log(V a) { return std::log(a); }
  TKL_FN static V tanh(V a) { return std::tanh(a); }
  TKL_FN static V erf(V a) { return std::erf(a); }
  TKL_FN static V expm1(V a) { return std::expm1(a); }
  TKL_FN static V log1p(V a) { return std::log1p(a); }
  TKL_FN static V sigmoid(V a) { return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a)); }
  TKL_FN static V pow(V a, V b) { return std::pow(a, b); }
};

TKL_ISA_END
}  // namespace tkl
