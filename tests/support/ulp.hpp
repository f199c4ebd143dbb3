// SPDX-License-Identifier: Apache-2.0
// Distances in units in the last place of f32.
#pragma once

#include <cmath>
#include <limits>

namespace tkl::test {

/// |got - exact| in units of the spacing of f32 numbers at `exact`. 0 when both are NaN or the same infinity; infinite
/// when only one is NaN, or when an infinity stands against a number that f32 can hold.
inline double ulp_error(float got, double exact) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double result = static_cast<double>(got);
  if (std::isnan(result) || std::isnan(exact)) return std::isnan(result) && std::isnan(exact) ? 0 : infinite;
  constexpr double overflow = 0x1.ffffffp127;  // rounds to infinity from here on
  if (std::fabs(exact) >= overflow) return std::isinf(got) && (result > 0) == (exact > 0) ? 0 : infinite;
  if (std::isinf(got)) return infinite;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double spacing = std::ldexp(1.0, exponent - 24 < -149 || exact == 0 ? -149 : exponent - 24);
  return std::fabs(result - exact) / spacing;
}

}  // namespace tkl::test
