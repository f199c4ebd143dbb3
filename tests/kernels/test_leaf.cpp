// SPDX-License-Identifier: Apache-2.0
// The loops over Highway, each of its targets by name: conversions bit for bit against core/element.hpp, sums against
// sums in double precision, at every length around a vector's and flush against forbidden pages.
// tkl-test: libs=leaf
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/leaf.hpp>
#include <vector>

#include "support/guarded.hpp"

namespace {

using tkl::bfloat16;
using tkl::half;
using tkl::test::guard;
using tkl::test::guarded;

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

/// Every f16 and bf16 number, the middles between neighbours, their neighbours in f32, and random patterns.
const std::vector<float>& floats() {
  static const std::vector<float> all = [] {
    std::vector<float> v;
    const auto around = [&](float low, float high) {
      const auto middle = static_cast<float>((double{low} + double{high}) / 2);
      for (const float x : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)}) v.push_back(x);
    };
    for (std::uint32_t i = 0; i < 0xffffu; ++i) {
      const auto a = static_cast<std::uint16_t>(i), b = static_cast<std::uint16_t>(i + 1);
      around(tkl::to_float(half{a}), tkl::to_float(half{b}));
      around(tkl::to_float(bfloat16{a}), tkl::to_float(bfloat16{b}));
    }
    std::mt19937 random(7);
    for (int i = 0; i < 500'000; ++i) v.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    for (const std::uint32_t special : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0x7f800000u, 0xff800000u, 0x477fefffu,
                                        0x477ff000u, 0x33000000u, 0x33000001u, 0x80000001u})
      v.push_back(std::bit_cast<float>(special));
    return v;
  }();
  return all;
}

template <class T>
void check_widen() {
  std::vector<T> from(65536, T{});
  std::vector<float> to(65536, 0.0f);
  for (std::uint32_t i = 0; i < 65536; ++i) from[i].bits = static_cast<std::uint16_t>(i);
  tkl::leaf::widen(from.data(), to.data(), 65536);
  int wrong = 0;
  for (std::size_t i = 0; i < 65536; ++i) wrong += bits(to[i]) != bits(tkl::to_float(from[i]));
  CHECK(wrong == 0);
}

template <class T, class Narrow>
void check_narrow(const Narrow& expected) {
  const std::vector<float>& from = floats();
  std::vector<T> to(from.size(), T{});
  tkl::leaf::narrow(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
  int wrong = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i].bits == expected(from[i]).bits) continue;
    if (++wrong <= 3) MESSAGE(from[i], " became ", to[i].bits, ", not ", expected(from[i]).bits);
  }
  CHECK(wrong == 0);
}

template <class T>
void check_dequantise() {
  constexpr float scale = 0.037f;
  for (const std::int32_t zero : {0, 128, -3, 1 << 23}) {
    std::vector<T> from(256 + 5, T{});
    std::vector<float> to(from.size(), 0.0f);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
    tkl::leaf::dequantise(from.data(), to.data(), static_cast<std::int64_t>(from.size()), scale, zero);
    int wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) wrong += to[i] != static_cast<float>(from[i] - zero) * scale;
    CHECK(wrong == 0);
  }
}

void check_dot_i8() {
  std::mt19937 random(3);
  for (const std::int64_t n : {0, 1, 7, 16, 31, 100, 32768, 40001}) {
    std::vector<std::int8_t> a(static_cast<std::size_t>(n), 0), b(a);
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::int8_t>(random()), b[i] = static_cast<std::int8_t>(random());
      expected += std::int64_t{a[i]} * b[i];
    }
    CHECK(tkl::leaf::dot(a.data(), b.data(), n) == expected);
  }
  const std::vector<std::int8_t> least(1'000'000, -128);  // beyond 32 bits
  CHECK(tkl::leaf::dot(least.data(), least.data(), 1'000'000) == 16'384'000'000);
}

void check_sums() {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> numbers(-1, 1);
  for (const std::int64_t n : {0, 1, 3, 8, 15, 16, 17, 63, 64, 65, 1000}) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<float> x(count, 0.0f);
    std::vector<bfloat16> a(count, bfloat16{}), b(a);
    double sum = 0, dot = 0, size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = numbers(random), a[i] = tkl::to_bfloat16(numbers(random)), b[i] = tkl::to_bfloat16(numbers(random));
      sum += double{x[i]}, dot += double{tkl::to_float(a[i])} * double{tkl::to_float(b[i])};
      size += 1;
    }
    CHECK(std::fabs(double{tkl::leaf::sum(x.data(), n)} - sum) <= size * size * 0x1p-24);
    CHECK(std::fabs(double{tkl::leaf::dot(a.data(), b.data(), n)} - dot) <= size * size * 0x1p-24);
  }
}

/// Nothing is read or written outside of the ranges, at any length, on either side.
void check_bounds() {
  for (const guard side : {guard::end, guard::start})
    for (std::size_t n = 0; n <= 67; ++n) {
      guarded<half> h(n, side);
      guarded<bfloat16> g(n, side);
      guarded<float> f(n, side);
      guarded<std::uint8_t> u(n, side);
      guarded<std::int8_t> s(n, side);
      const auto count = static_cast<std::int64_t>(n);
      for (std::size_t i = 0; i < n; ++i) f.data()[i] = static_cast<float>(i), u.data()[i] = s.data()[i] = 1;
      tkl::leaf::narrow(f.data(), h.data(), count);
      tkl::leaf::narrow(f.data(), g.data(), count);
      tkl::leaf::widen(h.data(), f.data(), count);
      tkl::leaf::widen(g.data(), f.data(), count);
      int wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += f.data()[i] != static_cast<float>(i);
      CHECK(wrong == 0);
      const std::int64_t pairs = count * (count - 1) / 2;
      CHECK(tkl::leaf::sum(f.data(), count) == static_cast<float>(pairs));
      tkl::leaf::dequantise(u.data(), f.data(), count, 1, 0);
      tkl::leaf::dequantise(s.data(), f.data(), count, 1, 0);
      CHECK(tkl::leaf::sum(f.data(), count) == static_cast<float>(count));
      CHECK(tkl::leaf::dot(s.data(), s.data(), count) == count);
      tkl::leaf::dot(g.data(), g.data(), count);
    }
}

std::string seen;

void check_target(std::string_view name, bool runs) {
  if (!runs) {
    MESSAGE("SKIPPED: this processor does not run ", std::string(name));
    return;
  }
  seen += std::string(name) + ' ';
  CAPTURE(std::string(name));
  CHECK(tkl::leaf::target() == name);
  check_widen<half>();
  check_widen<bfloat16>();
  check_narrow<half>([](float x) { return tkl::to_half(x); });
  check_narrow<bfloat16>([](float x) { return tkl::to_bfloat16(x); });
  check_dequantise<std::uint8_t>();
  check_dequantise<std::int8_t>();
  check_dot_i8();
  check_sums();
  check_bounds();
}

}  // namespace

TEST_CASE("every target of Highway that runs here") {
  const std::string best(tkl::leaf::target());
  tkl::leaf::for_each_target(check_target);
  MESSAGE("targets: ", seen);
  CHECK(seen.find(best) != std::string::npos);
  CHECK(tkl::leaf::target() == best);
}
