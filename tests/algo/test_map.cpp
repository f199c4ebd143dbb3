// SPDX-License-Identifier: Apache-2.0
// Element-wise maps: every operand kind, merging of axes, strided outputs, copies and casts, against plain loops in
// double.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <tkl/algo/map.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/reference.hpp>
#include <vector>

#include "support/level_machine.hpp"
#include "support/oracle_rows.hpp"

namespace {

using namespace tkl;
using namespace tkl::test;

template <class T>
element_node<T> element_of_rows(const rows_tensor<T>& t) {
  return {{}, t.memory.data(), {t.shape.stride[0], t.shape.stride[1], t.shape.stride[2]}};
}
template <class T>
map_problem<T> output(rows_tensor<T>& t) {
  const std::int64_t* e = t.shape.extent;
  const std::int64_t* s = t.shape.stride;
  return {t.memory.data(), {e[0], e[1], e[2], e[3]}, {s[0], s[1], s[2], 1}};
}

/// Evaluates the expression by the reference machine at every place and compares.
template <class T, class E>
void check(rows_tensor<T>& y, const E& expression, double tolerance) {
  const std::int64_t* e = y.shape.extent;
  double worst = 0;
  for (std::int64_t n = 0; n < e[0]; ++n)
    for (std::int64_t h = 0; h < e[1]; ++h)
      for (std::int64_t w = 0; w < e[2]; ++w)
        for (std::int64_t c = 0; c < e[3]; ++c) {
          const double expected = eval(expression, reference_machine::leaf{0, {{n, h, w}, c}, 1});
          worst = std::fmax(
              worst, std::fabs(y.value((n * e[1] + h) * e[2] + w, c) - expected) / std::fmax(1.0, std::fabs(expected)));
        }
  CHECK(worst <= tolerance);
  CHECK(y.memory.intact());
}

template <class M, class T>
void check_kinds(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c, std::int64_t gap, double tolerance) {
  CAPTURE(c);
  CAPTURE(gap);
  rows_tensor<T> a(n, h, w, c, gap), channel(1, 1, 1, c), row(n, h, w, 1), y(n, h, w, c, gap);
  rows_tensor<float> b(n, 1, w, c);
  a.fill(1), channel.fill(2), row.fill(3), b.fill(4);
  float scalar = 1.5f;
  const auto element = element_of_rows(a);
  const element_node<float> broadcast{{}, b.memory.data(), {b.shape.stride[0], 0, b.shape.stride[2]}};
  const row_node<T> per_row{{}, row.memory.data(), {row.shape.stride[0], row.shape.stride[1], row.shape.stride[2]}};
  const channel_node<T> per_channel{{}, channel.memory.data()};
  const scalar_node<float> one{{}, &scalar};
  const auto all = [&](const auto& expression) {
    map<M>(output(y), expression, serial{});
    check(y, expression, tolerance);
  };
  all(element + 1.0f);
  all(element * per_channel);
  all(element * broadcast);
  all(element - per_row);
  all(relu(affine(element, one, per_channel)) + per_row * broadcast);
  all(index_node{{}, 3} + index_node{{}, 2} * 100.0f + element);
  all(tkl::select(less(index_node{{}, 1}, one), element, literal_node{{}, 0.0f}));
  all(element * 0.0f + one);
}

}  // namespace

TEST_CASE("maps of every operand kind and tail length") {
  for (std::int64_t c : tail_lengths(machine::width))
    for (std::int64_t gap : {0, 2}) check_kinds<machine, float>(2, 3, 2, c, gap, 1e-6);
  check_kinds<machine, float>(1, 2, 3, 4099, 0, 1e-6);
  check_kinds<machine, float>(1, 1, 1, 10007, 0, 1e-6);
  check_kinds<machine, float>(1, 2, 1500, 3, 0, 1e-6);
  check_kinds<machine, half>(2, 1, 3, machine::width + 3, 1, 1e-3);
  check_kinds<machine, bfloat16>(2, 1, 3, machine::width + 3, 0, 8e-3);
  check_kinds<reference_machine, float>(2, 3, 2, 5, 1, 1e-6);
  for (std::int64_t zero = 0; zero < 4; ++zero)
    check_kinds<machine, float>(zero == 0 ? 0 : 2, zero == 1 ? 0 : 2, zero == 2 ? 0 : 2, zero == 3 ? 0 : 5, 0, 1e-6);
}

TEST_CASE("trailing axes merge into the columns where the operands allow") {
  rows_tensor<float> y(2, 3, 4, 5), a(2, 3, 4, 5), z(2, 3, 4, 5, 1);
  const auto extent = [](const map_tiling& t) { return std::vector<std::int64_t>(t.extent, t.extent + 4); };
  const auto tiling = [&](auto expression) { return extent(tkl::detail::map_tiles(output(y), expression)); };
  using extents = std::vector<std::int64_t>;
  const element_node<float> e = element_of_rows(a);
  CHECK(tiling(e + 1.0f) == extents{1, 1, 1, 120});
  CHECK(tiling(e + channel_node<float>{}) == extents{2, 3, 4, 5});
  CHECK(tiling(e + row_node<float>{{}, nullptr, {3, 1, 0}}) == extents{2, 3, 1, 20});
  CHECK(tiling(e + element_node<float>{{}, nullptr, {0, 20, 5}}) == extents{2, 1, 1, 60});
  CHECK(tiling(e + index_node{{}, 0}) == extents{2, 1, 1, 60});
  CHECK(extent(tkl::detail::map_tiles(output(z), e + 1.0f)) == extents{2, 3, 4, 5});
}

TEST_CASE("an output or operand whose columns are far apart") {
  for (std::int64_t c : {std::int64_t{1}, std::int64_t{3}, std::int64_t{machine::width},
                         std::int64_t{machine::width + 1}, std::int64_t{37}})
    for (std::int64_t w : {1, 5, 33}) {
      CAPTURE(c);
      CAPTURE(w);
      constexpr std::int64_t n = 2, h = 3;
      rows_tensor<float> x(n, c, h, w), y(n, h, w, c), z(n, c, h, w);  // planes, pixels, planes again
      x.fill(9);
      const strided_node<float> pixels{{}, x.memory.data(), {c * h * w, w, 1}, h * w};
      map<machine>(output(y), pixels, serial{});
      check(y, pixels, 0);
      map<machine>(output(y), relu(pixels), serial{});
      check(y, relu(pixels), 0);
      map<machine>(output(y), pixels, serial{});
      const map_problem<float> planes{z.memory.data(), {n, h, w, c}, {c * h * w, w, 1, h * w}};
      map<machine>(planes, element_of_rows(y) * 2.0f, serial{});
      for (std::size_t i = 0; i < x.memory.size(); ++i) CHECK(z.memory[i] == 2 * x.memory[i]);
      map<machine>(planes, element_of_rows(y), serial{});
      for (std::size_t i = 0; i < x.memory.size(); ++i) CHECK(z.memory[i] == x.memory[i]);
      CHECK(z.memory.intact());
      const strided_node<float> mirrored{{}, y.memory.data() + (c - 1), {h * w * c, w * c, c}, -1};
      map<machine>(planes, mirrored + 0.0f, serial{});
      CHECK(z.memory[0] == y.memory[static_cast<std::size_t>(c - 1)]);
    }
}

TEST_CASE("copies keep every bit of every type") {
  rows_tensor<std::int32_t> x(1, 2, 3, 5, 1), y(1, 2, 3, 5);
  std::int32_t next = 2147483647;
  for (std::int64_t r = 0; r < 6; ++r)
    for (std::int64_t c = 0; c < 5; ++c) x.at(r, c) = next--;
  map<machine>(output(y), element_of_rows(x), serial{});
  for (std::int64_t r = 0; r < 6; ++r)
    for (std::int64_t c = 0; c < 5; ++c) CHECK(y.at(r, c) == x.at(r, c));
  half signalling{0x7d01}, copied{};
  map<machine>(map_problem<half>{&copied, {1, 1, 1, 1}, {1, 1, 1, 1}}, scalar_node<half>{{}, &signalling}, serial{});
  CHECK(copied.bits == 0x7d01);
}

TEST_CASE("casts") {
  constexpr std::int64_t n = 2 * machine::width + 5;
  rows_tensor<std::uint8_t> bytes(1, 1, 1, n);
  rows_tensor<std::int8_t> small(1, 1, 1, n);
  rows_tensor<float> x(1, 1, 1, n), y(1, 1, 1, n);
  rows_tensor<half> h(1, 1, 1, n);
  rows_tensor<std::int32_t> whole(1, 1, 1, n);
  for (std::int64_t i = 0; i < n; ++i)
    bytes.at(0, i) = static_cast<std::uint8_t>(i * 37), small.at(0, i) = static_cast<std::int8_t>(i * 37);
  map<machine>(output(y), element_of_rows(bytes), serial{});
  for (std::int64_t i = 0; i < n; ++i) CHECK(y.at(0, i) == static_cast<float>(bytes.at(0, i)));
  map<machine>(output(y), element_of_rows(small), serial{});
  for (std::int64_t i = 0; i < n; ++i) CHECK(y.at(0, i) == static_cast<float>(small.at(0, i)));
  const float inputs[] = {0.5f,
                          1.5f,
                          2.5f,
                          -0.5f,
                          -1.5f,
                          126.5f,
                          127.5f,
                          255.5f,
                          256.0f,
                          -128.5f,
                          -129.0f,
                          1e10f,
                          -1e10f,
                          2147483520.0f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  for (std::int64_t i = 0; i < n; ++i) x.at(0, i) = inputs[static_cast<std::size_t>(i) % std::size(inputs)];
  map<machine>(output(whole), element_of_rows(x), serial{});
  map<machine>(output(bytes), element_of_rows(x), serial{});
  map<machine>(output(small), element_of_rows(x), serial{});
  map<machine>(output(h), element_of_rows(x), serial{});
  for (std::int64_t i = 0; i < n; ++i) {
    CAPTURE(x.at(0, i));
    CHECK(whole.at(0, i) == narrow<std::int32_t>(x.at(0, i)));
    CHECK(bytes.at(0, i) == narrow<std::uint8_t>(x.at(0, i)));
    CHECK(small.at(0, i) == narrow<std::int8_t>(x.at(0, i)));
    CHECK(h.at(0, i).bits == to_half(x.at(0, i)).bits);
  }
  CHECK(whole.at(0, 0) == 0);  // ties to even
  CHECK(whole.at(0, 1) == 2);
}

TEST_CASE("in place, and in any partition") {
  rows_tensor<float> x(3, 40, 50, 7), y(3, 40, 50, 7), z(3, 40, 50, 7);
  x.fill(1);
  const auto silu_of = [](const auto& e) { return e * sigmoid(e); };
  map<machine>(output(y), silu_of(element_of_rows(x)), serial{});
  map<machine>(output(z), silu_of(element_of_rows(x)), two_parts{});
  map<machine>(output(x), silu_of(element_of_rows(x)), serial{});
  for (std::size_t i = 0; i < x.memory.size(); ++i) {
    REQUIRE(std::bit_cast<std::uint32_t>(x.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
    REQUIRE(std::bit_cast<std::uint32_t>(z.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
  }
}
