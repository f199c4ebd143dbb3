// SPDX-License-Identifier: Apache-2.0
// Checked 64-bit arithmetic: extents, strides and byte counts never wrap.
#pragma once

#include <cstdint>

namespace tkl {

// *r = a op b, wrapped; whether the exact result does not fit.
#if defined(__CUDACC__)
// nvcc's front end does not know the builtins in constants.
namespace detail {
__extension__ typedef __int128 wide_integer;
constexpr bool narrowed(wide_integer exact, std::int64_t* r) {
  *r = static_cast<std::int64_t>(exact);
  return exact != wide_integer{*r};
}
}  // namespace detail
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return detail::narrowed(detail::wide_integer{a} + b, r);
}
constexpr bool subtract_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return detail::narrowed(detail::wide_integer{a} - b, r);
}
constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return detail::narrowed(detail::wide_integer{a} * b, r);
}
#else
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_add_overflow(a, b, r);
}
constexpr bool subtract_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_sub_overflow(a, b, r);
}
constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t* r) {
  return __builtin_mul_overflow(a, b, r);
}
#endif

/// A 64-bit integer that remembers whether any operation that led to it left the range.
struct checked {
  static constexpr std::int64_t largest = INT64_MAX;  // for messages
  std::int64_t value = 0;
  bool valid = true;

  constexpr checked() = default;
  constexpr checked(std::int64_t v) : value(v) {}  // NOLINT(google-explicit-constructor): integers are checked values

  /// The value, or the largest number where it left the range: a size that no memory has.
  constexpr std::int64_t or_largest() const { return valid ? value : largest; }

  friend constexpr checked operator+(checked a, checked b) {
    checked r;
    r.valid = !add_overflows(a.value, b.value, &r.value) && a.valid && b.valid;
    return r;
  }
  friend constexpr checked operator-(checked a, checked b) {
    checked r;
    r.valid = !subtract_overflows(a.value, b.value, &r.value) && a.valid && b.valid;
    return r;
  }
  friend constexpr checked operator*(checked a, checked b) {
    checked r;
    r.valid = !multiply_overflows(a.value, b.value, &r.value) && a.valid && b.valid;
    return r;
  }
};

/// Smallest multiple of `step` that is not below `value`; both positive.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}
constexpr checked round_up(checked value, std::int64_t step) {
  checked r = value + (step - 1);
  r.value = r.value / step * step;
  return r;
}

/// Greatest common divisor (Euclid); neither is negative, and that of a number and 0 is the number.
constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Quotient rounded up; both positive.
constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step;
}

}  // namespace tkl
