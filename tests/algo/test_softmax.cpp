// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax against plain loops in double; rows of every tail length end at a guard page.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <tkl/algo/softmax.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/reference.hpp>

#include "support/level_machine.hpp"
#include "support/oracle_rows.hpp"

namespace {

using namespace tkl;
using namespace tkl::test;
constexpr row_schedule schedule{};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class M, softmax_kind K, class TA, class TC, class E = acc_node>
void run(rows_tensor<TA>& x, rows_tensor<TC>& y, const E& epilogue = {}) {
  softmax<schedule, K, M>(softmax_problem<TA, TC>{x.in(), y.out()}, epilogue, serial{});
}

template <class T>
std::vector<double> row_of(rows_tensor<T>& x, std::int64_t row) {
  std::vector<double> v;
  for (std::int64_t c = 0; c < x.shape.extent[3]; ++c) v.push_back(x.value(row, c));
  return v;
}

template <class M, class TA, class TC>
void check(std::int64_t columns, double tolerance) {
  CAPTURE(columns);
  for (const guard side : {guard::end, guard::start}) {
    rows_tensor<TA> x(1, 2, 2, columns, 3, side);
    rows_tensor<TC> y(1, 2, 2, columns, 5, side);
    x.fill(static_cast<std::uint32_t>(columns));
    for (const bool logarithm : {false, true}) {
      if (logarithm) {
        run<M, softmax_kind::logarithm>(x, y);
      } else {
        run<M, softmax_kind::probability>(x, y);
      }
      for (std::int64_t r = 0; r < 4; ++r) {
        const std::vector<double> expected = oracle_softmax(row_of(x, r), logarithm);
        double worst = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
          const double e = expected[static_cast<std::size_t>(c)], scale = logarithm ? std::fabs(e) + 1 : e;
          worst = std::fmax(worst, std::fabs(y.value(r, c) - e) / scale);
        }
        CHECK(worst <= tolerance);
      }
    }
    CHECK(x.memory.intact());
    CHECK(y.memory.intact());
  }
}

std::vector<float> softmax_of(const std::vector<float>& row) {
  const auto n = static_cast<std::int64_t>(row.size());
  rows_tensor<float> x(1, 1, 1, n), y(1, 1, 1, n);
  for (std::int64_t c = 0; c < n; ++c) x.at(0, c) = row[static_cast<std::size_t>(c)];
  run<machine, softmax_kind::probability>(x, y);
  return {y.memory.begin(), y.memory.end()};
}

}  // namespace

TEST_CASE("softmax of rows of every tail length") {
  for (std::int64_t n = 0; n <= 2 * machine::width + 1; ++n) check<machine, float, float>(n, 4e-7);
  for (std::int64_t n :
       {3 * machine::width, 4 * machine::width - 1, 4 * machine::width, 4 * machine::width + 1, 97, 1000})
    check<machine, float, float>(n, 4e-7);
  for (std::int64_t n : {0, 1, 2, 17}) check<reference_machine, float, float>(n, 1e-7);
}

TEST_CASE("softmax of rows around the length kept on the stack, and longer ones") {
  for (std::int64_t n : {schedule.buffer - 1, schedule.buffer, schedule.buffer + 1, 10007})
    check<machine, float, float>(n, 1e-6);
}

TEST_CASE("softmax of 16-bit elements") {
  check<machine, half, half>(37, 1e-3);
  check<machine, bfloat16, bfloat16>(37, 8e-3);
  check<machine, half, float>(37, 4e-7);
}

TEST_CASE("a part of a row that is all -infinity does not disturb the rest") {
  for (int finite = 0; finite < 64; ++finite) {
    std::vector<float> x(64, -infinity);
    x[static_cast<std::size_t>(finite)] = 0;
    const std::vector<float> y = softmax_of(x);
    for (int c = 0; c < 64; ++c) CHECK(y[static_cast<std::size_t>(c)] == (c == finite ? 1.0f : 0.0f));
  }
}

TEST_CASE("rows without a finite maximum are NaN") {
  for (const std::vector<float>& x :
       {std::vector<float>{-infinity, -infinity, -infinity}, {0, not_a_number, 1}, {infinity, 0}})
    for (float v : softmax_of(x)) CHECK(std::isnan(v));
}

TEST_CASE("softmax keeps subnormal probabilities and does not overflow") {
  const std::vector<float> y = softmax_of({1000, 1000 - 100, 3e38f, -3e38f});
  CHECK(y[2] == 1);
  CHECK(y[0] == 0);
  const std::vector<float> z = softmax_of({0, -100});
  CHECK(z[1] == doctest::Approx(3.72e-44).epsilon(0.02));
}

TEST_CASE("softmax with an epilogue sees the place of each element, and may write over its input") {
  constexpr std::int64_t n = 2 * machine::width + 3;
  rows_tensor<float> x(2, 1, 3, n), y(2, 1, 3, n), bias(1, 1, 1, n), add(2, 1, 3, n);
  x.fill(1), bias.fill(2), add.fill(3);
  const auto epilogue =
      relu(acc * channel_node<float>{{}, bias.memory.data()} +
           element_node<float>{{}, add.memory.data(), {add.shape.stride[0], add.shape.stride[1], add.shape.stride[2]}});
  run<machine, softmax_kind::probability>(x, y, epilogue);
  for (std::int64_t r = 0; r < 6; ++r) {
    const std::vector<double> e = oracle_softmax(row_of(x, r), false);
    for (std::int64_t c = 0; c < n; ++c) {
      const double expected = std::fmax(0.0, e[static_cast<std::size_t>(c)] * bias.value(0, c) + add.value(r, c));
      CHECK(y.value(r, c) == doctest::Approx(expected).epsilon(1e-5));
    }
  }
  run<machine, softmax_kind::probability>(x, x, epilogue);
  for (std::size_t i = 0; i < x.memory.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(x.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
}

TEST_CASE("softmax has the same bits for any partition") {
  rows_tensor<float> x(2, 2, 2, 37, 1), y(2, 2, 2, 37), z(2, 2, 2, 37);
  x.fill(5);
  run<machine, softmax_kind::probability>(x, y);
  softmax<schedule, softmax_kind::probability, machine>(softmax_problem<float, float>{x.in(), z.out()}, acc,
                                                        two_parts{});
  for (std::size_t i = 0; i < y.memory.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(z.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
}
