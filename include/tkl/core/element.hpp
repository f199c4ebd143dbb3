// SPDX-License-Identifier: Apache-2.0
// Element types: f32, f16, bf16, i8, u8, i32, and exact conversions of the two 16-bit floating formats.
//
// f16 is IEEE 754-2019 binary16; bf16 is the upper half of binary32. Narrowing rounds to nearest, ties to even; it
// keeps subnormals, infinities and the sign of zero, and turns every NaN into a quiet NaN. Widening is exact.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tkl/config.hpp>

namespace tkl {

/// Storage type of a tensor's elements.
enum class element : std::uint8_t { f32, f16, bf16, i8, u8, i32 };

inline constexpr element f32 = element::f32;
inline constexpr element f16 = element::f16;
inline constexpr element bf16 = element::bf16;
inline constexpr element i8 = element::i8;
inline constexpr element u8 = element::u8;
inline constexpr element i32 = element::i32;

/// Bytes of one element.
TKL_TAGGED constexpr std::size_t size_of(element e) {
  switch (e) {
    case element::f32:
    case element::i32:
      return 4;
    case element::f16:
    case element::bf16:
      return 2;
    case element::i8:
    case element::u8:
      return 1;
  }
  return 0;
}

/// Name as written in reports and messages.
TKL_TAGGED constexpr std::string_view name_of(element e) {
  constexpr std::string_view names[] = {"f32", "f16", "bf16", "i8", "u8", "i32"};
  return names[static_cast<std::size_t>(e)];
}

/// IEEE binary16 storage; arithmetic is done in f32.
struct half {
  std::uint16_t bits = 0;
  constexpr bool operator==(const half&) const = default;  // compares storage: +0 and -0 differ
};

/// bfloat16 storage; arithmetic is done in f32.
struct bfloat16 {
  std::uint16_t bits = 0;
  constexpr bool operator==(const bfloat16&) const = default;
};

/// Narrows f32 to f16: nearest even, overflow to infinity, subnormals kept, NaN stays NaN.
TKL_TAGGED constexpr half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu))};
  if (magnitude >= 0x47800000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // 2^16 and above
  std::uint32_t kept = 0, rest = 0, halfway = 0;
  if (magnitude < 0x38800000u) {  // below 2^-14: the result is subnormal
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t shift = 126u - exponent;  // the significand is aligned to units of 2^-24
    if (shift > 24u) return {static_cast<std::uint16_t>(sign)};
    const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    kept = significand >> shift;
    rest = significand & ((1u << shift) - 1u);
    halfway = 1u << (shift - 1u);
  } else {
    kept = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1fffu;
    halfway = 0x1000u;
  }
  if (rest > halfway || (rest == halfway && (kept & 1u))) ++kept;  // a carry moves into the exponent, as it should
  return {static_cast<std::uint16_t>(sign | kept)};
}

/// Widens f16 to f32 exactly.
TKL_TAGGED constexpr float to_float(half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
  std::uint32_t fraction = value.bits & 0x3ffu;
  if (exponent == 31u) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0u) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  if (fraction == 0u) return std::bit_cast<float>(sign);
  std::uint32_t shifted = 113u;  // normalise the subnormal
  while (!(fraction & 0x400u)) fraction <<= 1, --shifted;
  return std::bit_cast<float>(sign | (shifted << 23) | ((fraction & 0x3ffu) << 13));
}

/// Narrows f32 to bf16: nearest even, NaN stays NaN.
TKL_TAGGED constexpr bfloat16 to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// Widens bf16 to f32 exactly.
constexpr float to_float(bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

constexpr float to_float(float value) {
  return value;
}

/// Maps a C++ storage type to its element; undefined for other types, which is the compile error.
template <class T>
struct element_of_type;
template <>
struct element_of_type<float> {
  static constexpr element value = element::f32;
};
template <>
struct element_of_type<half> {
  static constexpr element value = element::f16;
};
template <>
struct element_of_type<bfloat16> {
  static constexpr element value = element::bf16;
};
template <>
struct element_of_type<std::int8_t> {
  static constexpr element value = element::i8;
};
template <>
struct element_of_type<std::uint8_t> {
  static constexpr element value = element::u8;
};
template <>
struct element_of_type<std::int32_t> {
  static constexpr element value = element::i32;
};
template <class T>
inline constexpr element element_of = element_of_type<T>::value;

/// C++ storage type of an element.
template <element E>
struct storage_of;
template <>
struct storage_of<element::f32> {
  using type = float;
};
template <>
struct storage_of<element::f16> {
  using type = half;
};
template <>
struct storage_of<element::bf16> {
  using type = bfloat16;
};
template <>
struct storage_of<element::i8> {
  using type = std::int8_t;
};
template <>
struct storage_of<element::u8> {
  using type = std::uint8_t;
};
template <>
struct storage_of<element::i32> {
  using type = std::int32_t;
};
template <element E>
using storage_t = typename storage_of<E>::type;

}  // namespace tkl
