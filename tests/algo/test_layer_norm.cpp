// SPDX-License-Identifier: Apache-2.0
// Layer normalisation against plain loops in double; rows of every tail length end at a guard page.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <tkl/algo/layer_norm.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/reference.hpp>

#include "support/level_machine.hpp"
#include "support/oracle_rows.hpp"

namespace {

using namespace tkl;
using namespace tkl::test;
constexpr row_schedule schedule{};

template <class M, class TA, class TC, class E = acc_node, class X = serial>
void run(rows_tensor<TA>& x, rows_tensor<TC>& y, float eps = 1e-5f, const E& epilogue = {}, const X& executor = {}) {
  layer_norm<schedule, M>(layer_norm_problem<TA, TC>{x.in(), y.out(), eps}, epilogue, executor);
}

template <class T>
std::vector<double> expected_row(rows_tensor<T>& x, std::int64_t row, double eps = 1e-5) {
  std::vector<double> v;
  for (std::int64_t c = 0; c < x.shape.extent[3]; ++c) v.push_back(x.value(row, c));
  return oracle_layer_norm(v, eps);
}

template <class M, class TA, class TC>
void check(std::int64_t columns, double tolerance) {
  CAPTURE(columns);
  for (const guard side : {guard::end, guard::start}) {
    rows_tensor<TA> x(1, 2, 2, columns, 3, side);
    rows_tensor<TC> y(1, 2, 2, columns, 5, side);
    x.fill(static_cast<std::uint32_t>(columns));
    run<M>(x, y);
    for (std::int64_t r = 0; r < 4; ++r) {
      const std::vector<double> expected = expected_row(x, r);
      double worst = 0;
      for (std::int64_t c = 0; c < columns; ++c)
        worst = std::fmax(worst, std::fabs(y.value(r, c) - expected[static_cast<std::size_t>(c)]));
      CHECK(worst <= tolerance);
    }
    CHECK(x.memory.intact());
    CHECK(y.memory.intact());
  }
}

std::vector<float> normalised(const std::vector<float>& row, float eps = 1e-5f) {
  const auto n = static_cast<std::int64_t>(row.size());
  rows_tensor<float> x(1, 1, 1, n), y(1, 1, 1, n);
  for (std::int64_t c = 0; c < n; ++c) x.at(0, c) = row[static_cast<std::size_t>(c)];
  run<machine>(x, y, eps);
  return {y.memory.begin(), y.memory.end()};
}

}  // namespace

TEST_CASE("layer_norm of rows of every tail length") {
  for (std::int64_t n = 0; n <= 2 * machine::width + 1; ++n) check<machine, float, float>(n, 2e-6);
  for (std::int64_t n :
       {3 * machine::width, 4 * machine::width - 1, 4 * machine::width, 4 * machine::width + 1, 97, 192, 768, 1000})
    check<machine, float, float>(n, 2e-6);
  for (std::int64_t n : {0, 1, 2, 17}) check<reference_machine, float, float>(n, 5e-7);
}

TEST_CASE("layer_norm of 16-bit elements") {
  check<machine, half, half>(37, 2e-3);
  check<machine, bfloat16, bfloat16>(37, 1.6e-2);
  check<machine, half, float>(37, 2e-6);
}

TEST_CASE("a large mean does not cancel the variance") {
  for (float base : {40000.0f, 80000.0f}) {
    const std::vector<float> y = normalised({base, base + 1, base + 2, base + 3});
    const float expected[] = {-1.3416354f, -0.4472118f, 0.4472118f, 1.3416354f};
    for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  }
  std::vector<float> x;
  for (int i = 0; i < 16; ++i) x.push_back(static_cast<float>(10000 + i * 0.001));
  const std::vector<float> y = normalised(x);
  CHECK(y.front() == doctest::Approx(-1.3313334).epsilon(1e-5));
  CHECK(y.back() == doctest::Approx(1.3313334).epsilon(1e-5));
}

TEST_CASE("a first element far from all others is no bad pivot") {
  std::vector<float> x(768);
  numbers source(3);
  for (float& v : x) v = source.next();
  x[0] = 1e6f;
  std::vector<double> exact(x.begin(), x.end());
  const std::vector<double> expected = oracle_layer_norm(exact, 1e-5);
  const std::vector<float> y = normalised(x);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::fabs(static_cast<double>(y[i]) - expected[i]) <= 1e-5);
}

TEST_CASE("layer_norm of equal elements is zero, of NaN or infinity NaN; eps stands inside of the root") {
  for (float v : normalised({7, 7, 7, 7, 7})) CHECK(v == 0);
  for (float v : normalised({1, NAN, 2})) CHECK(std::isnan(v));
  for (float v : normalised({1, INFINITY, 2})) CHECK(std::isnan(v));
  const std::vector<float> y = normalised({0, 2}, 3.0f);  // variance 1: 1 / sqrt(1 + 3)
  CHECK(y[0] == -0.5f);
  CHECK(y[1] == 0.5f);
}

TEST_CASE("layer_norm with scale, offset and residual, in place, and in any partition") {
  constexpr std::int64_t n = 2 * machine::width + 3;
  rows_tensor<float> x(2, 1, 3, n, 1), y(2, 1, 3, n, 1), z(2, 1, 3, n, 1), scale(1, 1, 1, n), offset(1, 1, 1, n),
      add(2, 1, 3, n, 1);
  x.fill(1), scale.fill(2), offset.fill(3), add.fill(4);
  const auto epilogue =
      affine(acc, channel_node<float>{{}, scale.memory.data()}, channel_node<float>{{}, offset.memory.data()}) +
      element_node<float>{{}, add.memory.data(), {add.shape.stride[0], add.shape.stride[1], add.shape.stride[2]}};
  run<machine>(x, y, 1e-5f, epilogue);
  run<machine>(x, z, 1e-5f, epilogue, two_parts{});
  for (std::int64_t r = 0; r < 6; ++r) {
    const std::vector<double> e = expected_row(x, r);
    for (std::int64_t c = 0; c < n; ++c)
      CHECK(y.value(r, c) ==
            doctest::Approx(e[static_cast<std::size_t>(c)] * scale.value(0, c) + offset.value(0, c) + add.value(r, c))
                .epsilon(1e-5));
  }
  run<machine>(x, x, 1e-5f, epilogue);
  for (std::size_t i = 0; i < x.memory.size(); ++i) {
    CHECK(std::bit_cast<std::uint32_t>(x.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
    CHECK(std::bit_cast<std::uint32_t>(z.memory[i]) == std::bit_cast<std::uint32_t>(y.memory[i]));
  }
}
