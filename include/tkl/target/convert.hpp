// SPDX-License-Identifier: Apache-2.0
// Conversions of one element between storage types and f32 or f64: the rules that every machine follows, lane by lane.
//
// Narrowing to f16 and bf16 rounds to nearest, ties to even. Narrowing to i32, i8 and u8 rounds half to even, clamps to
// the type's range and turns NaN into 0.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// One stored element as V (float or double).
template <class V, class T>
TKL_FN V widen(T stored) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<V>(stored);
  } else {
    return static_cast<V>(to_float(stored));
  }
}

/// One value (float or double) as a stored element.
template <class T, class V>
TKL_FN T narrow(V value) {
  if constexpr (std::same_as<T, half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::same_as<T, bfloat16>) {
    return to_bfloat16(static_cast<float>(value));
  } else if constexpr (std::integral<T>) {
    constexpr double low = (std::numeric_limits<T>::min)(), high = (std::numeric_limits<T>::max)();
    const double exact = static_cast<double>(value);
    if (exact != exact) return 0;
    if (exact <= low) return (std::numeric_limits<T>::min)();
    if (exact >= high) return (std::numeric_limits<T>::max)();
    return static_cast<T>(std::nearbyint(exact));
  } else {
    return static_cast<T>(value);
  }
}

TKL_ISA_END
}  // namespace tkl
