// SPDX-License-Identifier: Apache-2.0
// Reductions over every subset of axes against plain loops in double; tensors end at guard pages.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <tkl/algo/reduce.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/reference.hpp>

#include "support/level_machine.hpp"
#include "support/oracle_rows.hpp"

namespace {

using namespace tkl;
using namespace tkl::test;
constexpr row_schedule schedule{};
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <reduce_kind K, class M, class TA, class TC, class E = acc_node, class X = serial>
void run(rows_tensor<TA>& x, rows_tensor<TC>& y, unsigned axes, const E& epilogue = {}, const X& executor = {}) {
  reduce<schedule, K, M>(reduce_problem<TA, TC>{x.in(), y.out(), axes}, epilogue, executor);
}

template <class T>
rows_tensor<T> result_for(const strided_shape& x, unsigned axes, std::int64_t gap) {
  std::int64_t e[4];
  for (int i = 0; i < 4; ++i) e[i] = axes >> i & 1u ? 1 : x.extent[i];
  return rows_tensor<T>(e[0], e[1], e[2], e[3], gap);
}

/// The exact result for output place (n, h, w, c), whose reduced indices are 0.
template <reduce_kind K, class T>
double oracle(rows_tensor<T>& x, unsigned axes, const std::int64_t (&place)[4]) {
  const std::int64_t* e = x.shape.extent;
  std::int64_t first[4], last[4], count = 0, best_index = 0;
  for (int i = 0; i < 4; ++i) first[i] = axes >> i & 1u ? 0 : place[i], last[i] = axes >> i & 1u ? e[i] : place[i] + 1;
  double sum = 0, best = 0;
  for (std::int64_t n = first[0]; n < last[0]; ++n)
    for (std::int64_t h = first[1]; h < last[1]; ++h)
      for (std::int64_t w = first[2]; w < last[2]; ++w)
        for (std::int64_t c = first[3]; c < last[3]; ++c, ++count) {
          const double v = x.value((n * e[1] + h) * e[2] + w, c);
          sum += v;
          const bool better = K == reduce_kind::min ? v < best : v > best;
          if (count == 0 || (best == best && (better || v != v))) best = v, best_index = count;
        }
  switch (K) {
    case reduce_kind::sum:
      return sum;
    case reduce_kind::mean:
      return sum / static_cast<double>(count);
    case reduce_kind::argmax:
      return static_cast<double>(best_index);
    default:
      return best;
  }
}

template <reduce_kind K, class M, class TA, class TC>
void check_axes(rows_tensor<TA>& x, unsigned axes, double tolerance) {
  CAPTURE(axes);
  rows_tensor<TC> y = result_for<TC>(x.shape, axes, 2);
  run<K, M>(x, y, axes);
  const std::int64_t* e = y.shape.extent;
  double worst = 0;
  for (std::int64_t n = 0; n < e[0]; ++n)
    for (std::int64_t h = 0; h < e[1]; ++h)
      for (std::int64_t w = 0; w < e[2]; ++w)
        for (std::int64_t c = 0; c < e[3]; ++c) {
          const double expected = oracle<K>(x, axes, {n, h, w, c}), got = y.value((n * e[1] + h) * e[2] + w, c);
          if (expected != expected) {
            CHECK(got != got);
          } else {
            worst = std::fmax(worst, std::fabs(got - expected) / std::fmax(1.0, std::fabs(expected)));
          }
        }
  CHECK(worst <= tolerance);
  CHECK(y.memory.intact());
}

template <class M, class T>
void check_shape(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c, std::int64_t gap, double tolerance) {
  CAPTURE(c);
  rows_tensor<T> x(n, h, w, c, gap, c % 2 ? guard::end : guard::start);
  x.fill(static_cast<std::uint32_t>(n + 3 * h + 5 * w + 7 * c));
  for (unsigned axes = 1; axes < 16; ++axes) {
    check_axes<reduce_kind::sum, M, T, float>(x, axes, tolerance);
    check_axes<reduce_kind::mean, M, T, float>(x, axes, tolerance);
    check_axes<reduce_kind::max, M, T, float>(x, axes, 0);
    check_axes<reduce_kind::min, M, T, float>(x, axes, 0);
    check_axes<reduce_kind::argmax, M, T, std::int32_t>(x, axes, 0);
  }
}

}  // namespace

TEST_CASE("reductions over every subset of axes, every tail length") {
  for (std::int64_t c : tail_lengths(machine::width)) check_shape<machine, float>(2, 3, 2, c, c % 3, 1e-6);
  check_shape<machine, float>(1, 7, 7, 4 * machine::width + 3, 0, 1e-6);
  check_shape<machine, half>(2, 3, 5, machine::width + 3, 1, 1e-6);
  check_shape<machine, bfloat16>(2, 3, 5, machine::width + 3, 0, 1e-6);
  check_shape<reference_machine, float>(2, 3, 2, 5, 1, 1e-6);
}

TEST_CASE("NaN wins in each lane and tail") {
  for (std::int64_t c : tail_lengths(machine::width))
    for (std::int64_t bad = 0; bad < c; bad += machine::width / 4 + 1)
      for (std::int64_t row = 0; row < 4; ++row) {
        rows_tensor<float> x(1, 2, 2, c);
        x.fill(static_cast<std::uint32_t>(c));
        x.at(row, bad) = not_a_number;
        for (unsigned axes : {8u, 6u, 2u, 14u}) {
          check_axes<reduce_kind::max, machine, float, float>(x, axes, 0);
          check_axes<reduce_kind::min, machine, float, float>(x, axes, 0);
          check_axes<reduce_kind::argmax, machine, float, std::int32_t>(x, axes, 0);
          check_axes<reduce_kind::sum, machine, float, float>(x, axes, 1e-6);
        }
      }
}

TEST_CASE("argmax gives the first of equal elements, also when all are -infinity") {
  for (std::int64_t c : {1, 5, 16, 33, 6625}) {
    rows_tensor<float> x(1, 1, 3, c);
    rows_tensor<std::int32_t> y(1, 1, 3, 1);
    for (std::int64_t i = 0; i < c; ++i) {
      x.at(0, i) = 2;
      x.at(1, i) = -std::numeric_limits<float>::infinity();
      x.at(2, i) = i == c / 2 || i == c - 1 ? 9.0f : -9.0f;
    }
    run<reduce_kind::argmax, machine>(x, y, 8);
    CHECK(y.memory[0] == 0);
    CHECK(y.memory[1] == 0);
    CHECK(y.memory[2] == c / 2);
  }
}

TEST_CASE("global averages of half precision accumulate in single precision") {
  rows_tensor<half> ones(1, 64, 64, 3), twenties(1, 256, 256, 1);
  for (half& v : ones.memory) v = to_half(1.0f);
  for (half& v : twenties.memory) v = to_half(20.0f);
  rows_tensor<half> y(1, 1, 1, 3), z(1, 1, 1, 1);
  run<reduce_kind::mean, machine>(ones, y, 6);
  run<reduce_kind::mean, machine>(twenties, z, 6);
  for (half v : y.memory) CHECK(to_float(v) == 1.0f);
  CHECK(to_float(z.memory[0]) == 20.0f);
}

TEST_CASE("long sums keep their accuracy") {
  constexpr std::int64_t n = 200000;
  rows_tensor<float> x(1, 1, n, 1), y(1, 1, 1, 1), row(1, 1, 1, n);
  double exact = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    row.at(0, i) = x.at(i, 0) = 0.1f;
    exact += static_cast<double>(0.1f);
  }
  run<reduce_kind::sum, machine>(x, y, 4);
  CHECK(y.value(0, 0) == doctest::Approx(exact).epsilon(1e-6));
  run<reduce_kind::sum, machine>(row, y, 8);
  CHECK(y.value(0, 0) == doctest::Approx(exact).epsilon(1e-6));
}

TEST_CASE("reductions over nothing") {
  rows_tensor<float> x(1, 0, 2, 5), y(1, 1, 2, 5), z(1, 1, 2, 1), none(0, 2, 2, 5), written(0, 1, 1, 5);
  run<reduce_kind::sum, machine>(x, y, 2);
  for (float v : y.memory) CHECK(v == 0);
  run<reduce_kind::mean, machine>(x, z, 10);
  for (float v : z.memory) CHECK(std::isnan(v));
  run<reduce_kind::max, machine>(x, z, 10);
  for (float v : z.memory) CHECK(v == -std::numeric_limits<float>::infinity());
  run<reduce_kind::min, machine>(x, y, 2);
  for (float v : y.memory) CHECK(v == std::numeric_limits<float>::infinity());
  run<reduce_kind::sum, machine>(none, written, 6);
}

TEST_CASE("a reduction with an epilogue, and in any partition") {
  constexpr std::int64_t c = 4 * machine::width + 5;
  rows_tensor<float> x(3, 5, 2, c), bias(1, 1, 1, c), y(3, 1, 1, c), z(3, 1, 1, c), s(3, 5, 2, 1), t(3, 5, 2, 1);
  x.fill(1), bias.fill(2);
  const auto epilogue = relu(acc + channel_node<float>{{}, bias.memory.data()});
  run<reduce_kind::mean, machine>(x, y, 6, epilogue);
  run<reduce_kind::mean, machine>(x, z, 6, epilogue, two_parts{});
  run<reduce_kind::sum, machine>(x, s, 8, acc * 0.5f);
  run<reduce_kind::sum, machine>(x, t, 8, acc * 0.5f, two_parts{});
  for (std::int64_t n = 0; n < 3; ++n)
    for (std::int64_t i = 0; i < c; ++i)
      CHECK(y.value(n, i) ==
            doctest::Approx(std::fmax(0.0, oracle<reduce_kind::mean>(x, 6, {n, 0, 0, i}) + bias.value(0, i)))
                .epsilon(1e-5));
  CHECK(s.value(7, 0) == doctest::Approx(0.5 * oracle<reduce_kind::sum>(x, 8, {0, 3, 1, 0})).epsilon(1e-5));
  for (std::size_t i = 0; i < y.memory.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(y.memory[i]) == std::bit_cast<std::uint32_t>(z.memory[i]));
  for (std::size_t i = 0; i < s.memory.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(s.memory[i]) == std::bit_cast<std::uint32_t>(t.memory[i]));
}
