// SPDX-License-Identifier: Apache-2.0
// Shapes: checked sizes, broadcasting, axes, text.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <tkl/core/checked.hpp>
#include <tkl/core/shape.hpp>

using tkl::broadcast;
using tkl::checked;
using tkl::shape;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

constexpr bool broadcasts_to(const shape& a, const shape& b, const shape& out) {
  const auto ab = broadcast(a, b), ba = broadcast(b, a);
  return ab.compatible && ba.compatible && ab.out == out && ba.out == out;
}
constexpr bool incompatible(const shape& a, const shape& b) {
  return !broadcast(a, b).compatible && !broadcast(b, a).compatible;
}

}  // namespace

// Extents fit 32 bits, their product does not.
static_assert(shape{46341, 46341}.elements().valid && shape{46341, 46341}.elements().value == 2147488281);
static_assert(shape{131072, 128, 128}.elements().value == 2147483648);
// The product is widened before the multiplication.
static_assert((checked(1) + checked(131073 - 1) * checked(32768)).value == 4294967297);
// 64 bits overflow and say so.
static_assert(!shape{1LL << 32, 1LL << 31}.elements().valid);
static_assert(shape{1LL << 31, 1LL << 31}.elements().valid);
static_assert(!(checked(largest) + 1).valid && !(checked(smallest) - 1).valid && !(checked(smallest) * -1).valid);
static_assert(!((checked(largest) + 1) - checked(largest)).valid, "an overflow is remembered");

TEST_CASE("checked arithmetic equals wide arithmetic wherever that fits") {
  const std::int64_t values[] = {smallest,        smallest + 1, -(1LL << 32), -3,          -1,          0,      1, 2, 7,
                                 (1LL << 31) - 1, 1LL << 31,    1LL << 32,    largest / 2, largest - 1, largest};
  __extension__ using wide = __int128;
  const auto fits = [](wide v) { return v >= smallest && v <= largest; };
  for (const std::int64_t a : values)
    for (const std::int64_t b : values) {
      const wide sum = wide(a) + b, difference = wide(a) - b, product = wide(a) * b;
      REQUIRE((checked(a) + b).valid == fits(sum));
      REQUIRE((checked(a) - b).valid == fits(difference));
      REQUIRE((checked(a) * b).valid == fits(product));
      if (fits(sum)) REQUIRE((checked(a) + b).value == static_cast<std::int64_t>(sum));
      if (fits(difference)) REQUIRE((checked(a) - b).value == static_cast<std::int64_t>(difference));
      if (fits(product)) REQUIRE((checked(a) * b).value == static_cast<std::int64_t>(product));
    }
}

TEST_CASE("elements of a shape") {
  CHECK(shape{}.elements().value == 1);
  CHECK(shape{0, 5}.elements().value == 0);
  CHECK(shape{2, 3, 4, 5, 6, 7}.elements().value == 5040);
  CHECK_FALSE(shape{2, tkl::dyn}.elements().valid);
  CHECK_FALSE(shape{2, tkl::dyn}.is_static());
  CHECK(shape{2, 0}.is_static());
  CHECK_FALSE(shape{largest, 2}.elements().valid);
  CHECK_FALSE(shape{largest, 2, 0}.elements().valid);  // an intermediate overflow is one, whatever follows
}

TEST_CASE("equality looks at the extents in use only") {
  shape a{2, 3};
  shape b{2, 3};
  b.extent[4] = 99;
  CHECK(a == b);
  CHECK_FALSE(a == shape{2, 3, 1});
  CHECK_FALSE(a == shape{3, 2});
  CHECK(shape{} == shape{});
}

TEST_CASE("broadcasting aligns at the last axis") {
  CHECK(broadcasts_to(shape{2, 3}, shape{3}, shape{2, 3}));
  CHECK(broadcasts_to(shape{2, 3}, shape{2, 1}, shape{2, 3}));
  CHECK(broadcasts_to(shape{2, 1}, shape{1, 3}, shape{2, 3}));
  CHECK(broadcasts_to(shape{}, shape{4, 5}, shape{4, 5}));
  CHECK(broadcasts_to(shape{8, 1, 6, 1}, shape{7, 1, 5}, shape{8, 7, 6, 5}));
  CHECK(broadcasts_to(shape{1}, shape{0}, shape{0}));
  CHECK(broadcasts_to(shape{0, 3}, shape{1, 3}, shape{0, 3}));
  CHECK(incompatible(shape{2, 3}, shape{2}));
  CHECK(incompatible(shape{3, 4}, shape{4, 3}));
  CHECK(incompatible(shape{0}, shape{2}));
}

TEST_CASE("broadcasting agrees with its definition for all small shapes") {
  const std::int64_t extents[] = {0, 1, 2, 3};
  for (const std::int64_t a0 : extents)
    for (const std::int64_t a1 : extents)
      for (const std::int64_t b0 : extents)
        for (const std::int64_t b1 : extents) {
          const auto r = broadcast(shape{a0, a1}, shape{b0, b1});
          const bool first = a0 == b0 || a0 == 1 || b0 == 1, second = a1 == b1 || a1 == 1 || b1 == 1;
          REQUIRE(r.compatible == (first && second));
          if (r.compatible) REQUIRE(r.out == shape{a0 == 1 ? b0 : a0, a1 == 1 ? b1 : a1});
        }
}

TEST_CASE("axes count from the end when negative") {
  CHECK(tkl::normalise_axis(0, 4) == 0);
  CHECK(tkl::normalise_axis(-1, 4) == 3);
  CHECK(tkl::normalise_axis(-4, 4) == 0);
  CHECK(tkl::normalise_axis(4, 4) == -1);
  CHECK(tkl::normalise_axis(-5, 4) == -1);
  CHECK(tkl::normalise_axis(0, 0) == -1);
}

TEST_CASE("a shape as text") {
  tkl::text<40> t;
  t << shape{1, 56, tkl::dyn, 64} << ' ' << shape{} << ' ' << shape{0};
  CHECK(t.view() == "1x56x?x64 scalar 0");
}

TEST_CASE("rounding up and dividing up") {
  CHECK(tkl::round_up(0, 64) == 0);
  CHECK(tkl::round_up(1, 64) == 64);
  CHECK(tkl::round_up(64, 64) == 64);
  CHECK(tkl::ceil_div(0, 7) == 0);
  CHECK(tkl::ceil_div(7, 7) == 1);
  CHECK(tkl::ceil_div(8, 7) == 2);
}
