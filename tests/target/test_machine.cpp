// SPDX-License-Identifier: Apache-2.0
// The CPU machine: loads and stores of every element type and lane count next to guard pages, conversions against the
// scalar rules, reductions, leaves.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tkl/arch/native.hpp>
#include <tkl/target/reference.hpp>
#include <type_traits>

#include "support/guarded.hpp"
#include "support/level_machine.hpp"

namespace {

using tkl::bfloat16;
using tkl::half;
using tkl::test::guard;
using tkl::test::guarded;
using tkl::test::machine;
using value = machine::value;
using math = tkl::math<value>;
constexpr int width = machine::width;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

static_assert(std::is_same_v<tkl::test::level, tkl::arch::native>);
static_assert(width == tkl::arch::native::width_f32);

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

template <class T>
std::uint32_t storage(T v) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(v);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint32_t>(v);
  } else {
    return v.bits;
  }
}

float sample(int i) {
  const float list[] = {1.5f, -2.25f, 0.0f, 127.0f, -128.0f, 3.5f, 100.0f, -0.5f, 64.0f, 2.5f, -7.0f};
  return list[i % 11];
}

template <class T>
void check_memory() {
  for (const guard side : {guard::end, guard::start})
    for (int n = 0; n <= width; ++n) {
      CAPTURE(n);
      guarded<T> x(static_cast<std::size_t>(n), side), y(static_cast<std::size_t>(n), side);
      for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = tkl::narrow<T>(sample(i));
      const value v = machine::load(x.data(), n);
      machine::store(y.data(), v, n);
      for (int i = 0; i < width; ++i)
        CHECK(machine::lane(v, i) == (i < n ? tkl::widen<float>(x[static_cast<std::size_t>(i)]) : 0.0f));
      for (int i = 0; i < n; ++i)
        CHECK(storage(y[static_cast<std::size_t>(i)]) == storage(x[static_cast<std::size_t>(i)]));
      CHECK(y.intact());
    }
  guarded<T> x(width), y(width), spread(3 * (width - 1) + 1);
  for (int i = 0; i < width; ++i) x[static_cast<std::size_t>(i)] = tkl::narrow<T>(sample(i));
  machine::store(y.data(), machine::load(x.data()));
  machine::store_strided(spread.data(), 3, machine::load(x.data()), width);
  for (int i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(storage(y[at]) == storage(x[at]));
    CHECK(storage(spread[3 * at]) == storage(x[at]));
    CHECK(machine::lane(machine::load_strided(spread.data(), 3, width), i) == tkl::widen<float>(x[at]));
    CHECK(machine::lane(machine::broadcast(x.data() + i), 0) == tkl::widen<float>(x[at]));
  }
  guarded<T> one(1);
  CHECK(machine::lane(machine::load_strided(one.data(), 5, 1), width - 1) == 0);
}

/// Stores of v against the scalar conversion; NaN payloads may differ between instruction sets.
template <class T>
void check_narrowing(float v) {
  T lanes[width];
  machine::store(lanes, value(v));
  const T expected = tkl::narrow<T>(v);
  bool right = true;
  for (int i = 0; i < width; ++i) {
    if constexpr (!std::is_integral_v<T>) {
      right = right && (v == v ? lanes[i].bits == expected.bits : std::isnan(to_float(lanes[i])));
    } else {
      right = right && lanes[i] == expected;
    }
  }
  CAPTURE(v);
  CHECK(right);
}

template <class T>
void check_all_16_bits() {
  int wrong = 0;
  for (std::uint32_t first = 0; first < 65536; first += static_cast<std::uint32_t>(width)) {
    T x[width], back[width];
    for (int i = 0; i < width; ++i) x[i].bits = static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(i));
    const value v = machine::load(x);
    machine::store(back, v);
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    for (int i = 0; i < width; ++i) {
      const float exact = to_float(x[i]);
      wrong += exact == exact ? !same_bits(lanes[i], exact) || back[i].bits != x[i].bits : lanes[i] == lanes[i];
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("loads and stores of every type touch the elements they were asked for") {
  check_memory<float>();
  check_memory<half>();
  check_memory<bfloat16>();
  check_memory<std::int32_t>();
  check_memory<std::int8_t>();
  check_memory<std::uint8_t>();
}

TEST_CASE("16-bit formats widen exactly, and back") {
  check_all_16_bits<half>();
  check_all_16_bits<bfloat16>();
}

TEST_CASE("narrowing rounds to nearest even and saturates as the scalar rules say") {
  for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 1000003) {
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    check_narrowing<half>(v);
    check_narrowing<bfloat16>(v);
    check_narrowing<std::int32_t>(v);
    check_narrowing<std::int8_t>(v);
    check_narrowing<std::uint8_t>(v);
  }
  for (float v :
       {1.00390625f,   1.01171875f,   65504.0f,       65519.9f,       65520.0f,     5.96e-8f, 2.98e-8f, 6.1e-5f,
        1e-45f,        3.4028235e38f, infinity,       -infinity,      not_a_number, 0.5f,     1.5f,     2.5f,
        -0.5f,         -1.5f,         127.5f,         128.0f,         -128.5f,      -129.0f,  255.5f,   256.0f,
        2147483520.0f, 2147483648.0f, -2147483648.0f, -2147483904.0f, 1e10f,        -0.0f}) {
    check_narrowing<half>(v);
    check_narrowing<bfloat16>(v);
    check_narrowing<std::int32_t>(v);
    check_narrowing<std::int8_t>(v);
    check_narrowing<std::uint8_t>(v);
  }
}

TEST_CASE("reductions over lanes") {
  alignas(64) float lanes[width];
  float sum = 0;
  for (int i = 0; i < width; ++i) lanes[i] = static_cast<float>(i * i - 3), sum += lanes[i];
  const value v = machine::from_lanes(lanes);
  CHECK(machine::reduce_add(v) == sum);
  CHECK(machine::reduce_max(v) == static_cast<float>((width - 1) * (width - 1) - 3));
  CHECK(machine::reduce_min(v) == -3);
  for (int bad = 0; bad < width; ++bad) {
    lanes[bad] = not_a_number;
    CHECK(std::isnan(machine::reduce_max(machine::from_lanes(lanes))));
    CHECK(std::isnan(machine::reduce_min(machine::from_lanes(lanes))));
    CHECK(std::isnan(machine::reduce_add(machine::from_lanes(lanes))));
    lanes[bad] = 0;
  }
  CHECK(machine::reduce_max(value(-infinity)) == -infinity);
}

TEST_CASE("max and min pass NaN from either side in every lane") {
  for (int bad = 0; bad < width; ++bad) {
    alignas(64) float lanes[width]{};
    lanes[bad] = not_a_number;
    const value v = machine::from_lanes(lanes), one(1.0f);
    for (const value& r : {math::max(v, one), math::max(one, v), math::min(v, one), math::min(one, v)})
      for (int i = 0; i < width; ++i) CHECK(std::isnan(machine::lane(r, i)) == (i == bad));
    CHECK(machine::lane(math::max(v, one), (bad + 1) % width) == 1);
    CHECK(machine::lane(math::min(v, one), (bad + 1) % width) == 0);
  }
}

TEST_CASE("keep_first and iota") {
  for (int n = 0; n <= width; ++n)
    for (int i = 0; i < width; ++i)
      CHECK(machine::lane(machine::keep_first(machine::iota(), n, value(-1.0f)), i) ==
            (i < n ? static_cast<float>(i) : -1.0f));
}

TEST_CASE("mac adds the product") {
  value d(3.0f);
  machine::mac(d, value(2.0f), value(5.0f));
  CHECK(machine::lane(d, width - 1) == 13.0f);
  double r = 3;
  tkl::reference_machine::mac(r, 2, 5);
  CHECK(r == 13);
}

TEST_CASE("leaves read their lanes and no more") {
  for (int lanes = 1; lanes <= width; ++lanes) {
    const auto n = static_cast<std::size_t>(lanes);
    guarded<float> element(n + 4), channel(n + 2), strided(3 * (n - 1) + 1), row(3);
    for (std::size_t i = 0; i < element.size(); ++i) element[i] = static_cast<float>(i);
    for (std::size_t i = 0; i < channel.size(); ++i) channel[i] = 100.0f + static_cast<float>(i);
    for (std::size_t i = 0; i < strided.size(); ++i) strided[i] = static_cast<float>(i);
    row[2] = 7;
    const float number = 9;
    const machine::leaf leaf{value(5.0f), {{0, 1, 2}, 2}, lanes};
    const value values[] = {eval(tkl::acc, leaf),
                            eval(tkl::literal_node{{}, 4.0f}, leaf),
                            eval(tkl::scalar_node<float>{{}, &number}, leaf),
                            eval(tkl::channel_node<float>{{}, channel.data()}, leaf),
                            eval(tkl::element_node<float>{{}, element.data(), {50, 0, 1}}, leaf),
                            eval(tkl::row_node<float>{{}, row.data(), {50, 0, 1}}, leaf),
                            eval(tkl::strided_node<float>{{}, strided.data() - 6, {50, 0, 0}, 3}, leaf),
                            eval(tkl::index_node{{}, 2}, leaf),
                            eval(tkl::index_node{{}, 3}, leaf)};
    for (int i = 0; i < lanes; ++i) {
      const auto f = static_cast<float>(i);
      const float expected[] = {5, 4, 9, 102 + f, 4 + f, 7, 3 * f, 2, 2 + f};
      for (std::size_t k = 0; k < std::size(expected); ++k) {
        CAPTURE(k);
        CHECK(machine::lane(values[k], i) == expected[k]);
      }
    }
  }
}
