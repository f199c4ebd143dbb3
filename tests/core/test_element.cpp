// SPDX-License-Identifier: Apache-2.0
// Conversions of f16 and bf16: every bit pattern widened, and narrowing against the definition of rounding.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tkl/core/element.hpp>

using tkl::bfloat16;
using tkl::half;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr half half_of(unsigned bits) {
  return {static_cast<std::uint16_t>(bits)};
}
constexpr bfloat16 bfloat_of(unsigned bits) {
  return {static_cast<std::uint16_t>(bits)};
}

/// The value that IEEE 754 gives a binary16 pattern, from its three fields.
double value_of_half(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31u);
  const double fraction = bits & 1023u;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000u ? -magnitude : magnitude;
}

/// The value of a bf16 pattern, from its three fields.
double value_of_bfloat(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 7 & 255u);
  const double fraction = bits & 127u;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(fraction + 128, exponent - 134);
  return bits & 0x8000u ? -magnitude : magnitude;
}

/// Nearest, ties to even, among the patterns `low` and `low + 1` of the same sign. Where `low + 1` is infinity, its
/// place on the number line is what the next exponent would give.
template <class Value>
unsigned nearest(unsigned low, double x, Value value) {
  const double below = std::abs(value(low)), above = std::abs(value(low + 1)), middle = (below + above) / 2;
  if (std::abs(x) != middle) return std::abs(x) < middle ? low : low + 1;
  return low & 1u ? low + 1 : low;
}

}  // namespace

static_assert(tkl::to_half(1.0f).bits == 0x3c00);
static_assert(tkl::to_bfloat16(1.0f).bits == 0x3f80);
static_assert(tkl::to_float(half_of(0x3555)) == 0x1.554p-2f);
static_assert(sizeof(half) == 2 && sizeof(bfloat16) == 2);
static_assert(tkl::size_of(tkl::f32) == 4 && tkl::size_of(tkl::i32) == 4 && tkl::size_of(tkl::f16) == 2 &&
              tkl::size_of(tkl::bf16) == 2 && tkl::size_of(tkl::i8) == 1 && tkl::size_of(tkl::u8) == 1);
static_assert(tkl::element_of<float> == tkl::f32 && tkl::element_of<std::uint8_t> == tkl::u8);

TEST_CASE("every f16 pattern widens to its value and comes back") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float wide = tkl::to_float(half_of(bits));
    if ((bits & 0x7c00u) != 0x7c00u) {
      REQUIRE(static_cast<double>(wide) == value_of_half(bits));
      REQUIRE(std::signbit(wide) == ((bits & 0x8000u) != 0));
      REQUIRE(tkl::to_half(wide).bits == bits);
    } else if (bits & 0x3ffu) {
      REQUIRE(std::isnan(wide));
      REQUIRE(tkl::to_half(wide).bits == (bits | 0x200u));  // quiet, sign and payload kept
    } else {
      REQUIRE(wide == (bits & 0x8000u ? -infinity : infinity));
      REQUIRE(tkl::to_half(wide).bits == bits);
    }
  }
}

TEST_CASE("every bf16 pattern widens to its value and comes back") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float wide = tkl::to_float(bfloat_of(bits));
    if ((bits & 0x7f80u) != 0x7f80u) {
      REQUIRE(static_cast<double>(wide) == value_of_bfloat(bits));
      REQUIRE(std::signbit(wide) == ((bits & 0x8000u) != 0));
      REQUIRE(tkl::to_bfloat16(wide).bits == bits);
    } else if (bits & 0x7fu) {
      REQUIRE(std::isnan(wide));
      REQUIRE(tkl::to_bfloat16(wide).bits == (bits | 0x40u));
    } else {
      REQUIRE(wide == (bits & 0x8000u ? -infinity : infinity));
      REQUIRE(tkl::to_bfloat16(wide).bits == bits);
    }
  }
}

TEST_CASE("narrowing rounds to nearest, ties to even, between every two neighbours") {
  // For every finite pattern and its successor: the middle, the f32 just below and just above it, and the ends.
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const double middle = (value_of_half(bits) + value_of_half(bits + 1)) / 2;
    const float tie = static_cast<float>(middle);
    REQUIRE(static_cast<double>(tie) == middle);
    for (const float x : {std::nextafter(tie, 0.0f), tie, std::nextafter(tie, infinity)}) {
      const unsigned expected = nearest(bits, static_cast<double>(x), value_of_half);
      REQUIRE(tkl::to_half(x).bits == expected);
      REQUIRE(tkl::to_half(-x).bits == (expected | 0x8000u));
    }
  }
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    const float tie = std::bit_cast<float>(bits << 16 | 0x8000u);
    for (const float x : {std::nextafter(tie, 0.0f), tie, std::nextafter(tie, infinity)}) {
      const unsigned expected = nearest(bits, static_cast<double>(x), value_of_bfloat);
      REQUIRE(tkl::to_bfloat16(x).bits == expected);
      REQUIRE(tkl::to_bfloat16(-x).bits == (expected | 0x8000u));
    }
  }
}

TEST_CASE("bf16 rounds to nearest even, it does not truncate") {
  CHECK(tkl::to_float(tkl::to_bfloat16(0.2691408770292272f)) == 0.26953125f);
  CHECK(tkl::to_float(tkl::to_bfloat16(3.14f)) == 3.140625f);
  CHECK(tkl::to_float(tkl::to_bfloat16(1e-8f)) == doctest::Approx(1.00117e-8).epsilon(1e-5));
  CHECK(tkl::to_float(tkl::to_bfloat16(1.00390625f)) == 1.0f);
  CHECK(tkl::to_float(tkl::to_bfloat16(1.01171875f)) == 1.015625f);
  CHECK(tkl::to_float(tkl::to_bfloat16(3.4028235e38f)) == infinity);
  CHECK(tkl::to_float(tkl::to_bfloat16(-3.4028235e38f)) == -infinity);
}

TEST_CASE("f16 keeps subnormals") {
  CHECK(tkl::to_half(0x1p-15f).bits == 0x0200);
  CHECK(tkl::to_half(0x1p-24f).bits == 0x0001);
  CHECK(tkl::to_half(0x1p-25f).bits == 0x0000);
  CHECK(tkl::to_half(std::nextafter(0x1p-25f, 1.0f)).bits == 0x0001);
  CHECK(tkl::to_half(0x3p-26f).bits == 0x0001);
  CHECK(tkl::to_half(std::bit_cast<float>(0x387fe000u)).bits == 0x0400);
  CHECK(tkl::to_half(std::numeric_limits<float>::denorm_min()).bits == 0x0000);
  CHECK(tkl::to_half(-std::numeric_limits<float>::denorm_min()).bits == 0x8000);
}

TEST_CASE("f16 overflows to infinity from the middle above its largest value") {
  CHECK(tkl::to_half(65504.0f).bits == 0x7bff);
  CHECK(tkl::to_half(65519.996f).bits == 0x7bff);
  CHECK(tkl::to_half(65520.0f).bits == 0x7c00);
  CHECK(tkl::to_half(-65520.0f).bits == 0xfc00);
  CHECK(tkl::to_half(3.4028235e38f).bits == 0x7c00);
  CHECK(tkl::to_half(infinity).bits == 0x7c00);
}

TEST_CASE("every f32 NaN pattern class stays NaN") {
  for (const std::uint32_t bits : {0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const float nan = std::bit_cast<float>(bits);
    CHECK(std::isnan(tkl::to_float(tkl::to_half(nan))));
    CHECK(std::isnan(tkl::to_float(tkl::to_bfloat16(nan))));
  }
}
