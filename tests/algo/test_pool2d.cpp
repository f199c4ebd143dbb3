// SPDX-License-Identifier: Apache-2.0
// Pooling against the plain loop nest: windows, clipping, ceil mode's overhang, divisors, NaN, tails, threads.
#include <doctest/doctest.h>

#include <limits>
#include <support/oracle_spatial.hpp>
#include <tkl/algo/pool2d.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>

using namespace tkl;
using namespace tkl::test;

namespace {

using layer = pool_layer;

template <class TA, class TC>
pool2d_problem<TA, TC> problem(const image<TA>& x, image<TC>& y, const layer& l) {
  pool2d_problem<TA, TC> p{.x = x.const_view(), .y = y.view(), .include_pad = l.include_pad};
  for (int i = 0; i < 4; ++i) p.pad[i] = l.win.pad[i];
  for (int i = 0; i < 2; ++i) {
    p.kernel[i] = l.win.kernel[i], p.stride[i] = l.win.stride[i], p.dilation[i] = l.win.dilation[i];
  }
  return p;
}

template <pool_kind K, class M, class TA = float, class TC = float>
void check(layer l, guard side = guard::end, double tolerance = 1e-6) {
  INFO("rows ", l.rows, " columns ", l.columns, " channels ", l.channels, " kernel ", l.win.kernel[0], "x",
       l.win.kernel[1], " pad ", l.win.pad[0], ",", l.win.pad[1], ",", l.win.pad[2], ",", l.win.pad[3]);
  if (!l.out_rows) l.out_rows = l.win.outputs(0, l.rows);
  if (!l.out_columns) l.out_columns = l.win.outputs(1, l.columns);
  random_numbers random{static_cast<std::uint32_t>(l.rows + 17 * l.columns + 5 * l.channels)};
  image<TA> x(l.n, l.rows, l.columns, l.channels, l.gap, side);
  x.fill(random, std::is_integral_v<TA> ? 100.0 : 1.0);
  image<TC> y(l.n, l.out_rows, l.out_columns, l.channels, l.gap, side);
  image<TC> split(l.n, l.out_rows, l.out_columns, l.channels, l.gap, side);
  guarded<float> shift(static_cast<std::size_t>(l.channels), side);
  for (auto& s : shift) s = static_cast<float>(random.whole(-3, 3));
  const auto epilogue = acc + channel_node<float>{{}, shift.data()};
  pool2d<K, M>(problem(x, y, l), epilogue, serial{});
  pool2d<K, M>(problem(x, split, l), epilogue, splitting{3});
  CHECK(y.gaps_intact());
  CHECK(y.same_bits(split));
  CHECK(largest_error(y, [&](auto n, auto r, auto c, auto k) {
          return pool_oracle(x, l.win, K == pool_kind::max, l.include_pad, n, r, c, k) +
                 number(shift[static_cast<std::size_t>(k)]);
        }) < tolerance);
}

/// One row of numbers, one channel.
template <pool_kind K, class M>
std::vector<double> pool_row(const std::vector<double>& numbers, const layer& l) {
  const auto columns = static_cast<std::int64_t>(numbers.size());
  image<float> x(1, 1, columns, 1), y(1, 1, l.out_columns, 1);
  x.fill_with([&](auto, auto, auto c, auto) { return numbers[static_cast<std::size_t>(c)]; });
  pool2d<K, M>(problem(x, y, l), acc, serial{});
  std::vector<double> got;
  y.for_each([&](auto, auto, auto c, auto) { got.push_back(number(y(0, 0, c, 0))); });
  return got;
}

using row = std::vector<double>;

}  // namespace

TEST_CASE_TEMPLATE("pool2d: random windows, ceil mode overhang included", M, reference_machine,
                   cpu_machine<arch::native>) {
  int turn = 0;
  for (const layer& l : random_pool_layers(200, 5 * M::width + 1)) {
    const guard side = ++turn % 2 ? guard::start : guard::end;
    check<pool_kind::max, M>(l, side);
    check<pool_kind::average, M>(l, side);
  }
}

TEST_CASE_TEMPLATE("pool2d: channel tails", M, reference_machine, cpu_machine<arch::native>) {
  for (std::int64_t channels = 1; channels <= 2 * M::width + 1; ++channels)
    for (const guard side : {guard::end, guard::start}) {
      const layer l{.rows = 4, .columns = 4, .channels = channels, .win = {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}};
      check<pool_kind::max, M>(l, side);
      check<pool_kind::average, M>(l, side);
    }
}

TEST_CASE_TEMPLATE("pool2d: layers of real networks", M, cpu_machine<arch::native>) {
  check<pool_kind::average, M>(
      {.rows = 3, .columns = 80, .channels = 480, .win = {{3, 2}, {3, 2}, {1, 1}, {0, 0, 0, 0}}});
  check<pool_kind::max, M>({.rows = 2, .columns = 96, .channels = 200, .win = {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
  check<pool_kind::max, M>({.rows = 23, .columns = 23, .channels = 28, .win = {{3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
  check<pool_kind::max, M>({.rows = 28, .columns = 28, .channels = 64, .win = {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}});
}

TEST_CASE_TEMPLATE("pool2d: element types", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.rows = 6, .columns = 6, .channels = M::width + 3, .win = {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}};
  check<pool_kind::max, M, half, half>(l, guard::end, 2e-3);
  check<pool_kind::average, M, half, float>(l);
  check<pool_kind::average, M, bfloat16, bfloat16>(l, guard::end, 1.6e-2);
  check<pool_kind::max, M, std::int8_t, std::int8_t>(l);
  check<pool_kind::max, M, std::uint8_t, float>(l);
}

TEST_CASE_TEMPLATE("pool2d: an overhanging window counts only what exists", M, reference_machine,
                   cpu_machine<arch::native>) {
  const layer l{.win = {{1, 2}, {1, 2}, {1, 1}, {0, 0, 0, 0}}, .out_columns = 3, .include_pad = true};
  CHECK(pool_row<pool_kind::average, M>({1, 2, 3, 4, 5}, l) == row{1.5, 3.5, 5.0});
}

TEST_CASE_TEMPLATE("pool2d: stride beyond the kernel", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.win = {{1, 1}, {1, 2}, {1, 1}, {0, 0, 0, 0}}, .out_columns = 2};
  CHECK(pool_row<pool_kind::average, M>({1, 2, 3, 4}, l) == row{1, 3});
  CHECK(pool_row<pool_kind::max, M>({1, 2, 3, 4}, l) == row{1, 3});
}

TEST_CASE_TEMPLATE("pool2d: padding never wins a maximum", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.win = {{2, 2}, {2, 2}, {1, 1}, {1, 1, 1, 1}}};
  image<float> x(1, 2, 2, 1), y(1, 2, 2, 1);
  x.fill_with([](auto, auto, auto, auto) { return -1.0; });
  pool2d<pool_kind::max, M>(problem(x, y, l), acc, serial{});
  CHECK(largest_error(y, [](auto, auto, auto, auto) { return -1.0; }) == 0.0);
  image<std::int8_t> x8(1, 2, 2, 1), y8(1, 2, 2, 1);
  x8.fill_with([](auto, auto, auto, auto) { return -5.0; });
  pool2d<pool_kind::max, M>(problem(x8, y8, l), acc, serial{});
  CHECK(largest_error(y8, [](auto, auto, auto, auto) { return -5.0; }) == 0.0);
}

TEST_CASE_TEMPLATE("pool2d: f16 averages are summed in f32", M, reference_machine, cpu_machine<arch::native>) {
  for (const auto& [extent, value] : {std::pair<std::int64_t, double>{64, 1.0}, {256, 20.0}}) {
    image<half> x(1, extent, extent, 3), y(1, 1, 1, 3);
    x.fill_with([v = value](auto, auto, auto, auto) { return v; });
    const layer l{.win = {{extent, extent}, {1, 1}, {1, 1}, {0, 0, 0, 0}}};
    pool2d<pool_kind::average, M>(problem(x, y, l), acc, serial{});
    CHECK(largest_error(y, [v = value](auto, auto, auto, auto) { return v; }) == 0.0);
  }
}

TEST_CASE_TEMPLATE("pool2d: divisors with and without padding", M, reference_machine, cpu_machine<arch::native>) {
  image<float> x(1, 5, 5, 1), y(1, 5, 5, 1);
  x.fill_with([](auto, auto r, auto c, auto) { return static_cast<double>(5 * r + c + 1); });
  layer l{.win = {{5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}}};
  pool2d<pool_kind::average, M>(problem(x, y, l), acc, serial{});
  const double without[] = {7, 7.5, 8, 8.5, 9}, with[] = {2.52, 3.6, 4.8, 4.08, 3.24};
  for (int c = 0; c < 5; ++c) CHECK(number(y(0, 0, c, 0)) == doctest::Approx(without[c]).epsilon(1e-6));
  l.include_pad = true;
  pool2d<pool_kind::average, M>(problem(x, y, l), acc, serial{});
  for (int c = 0; c < 5; ++c) CHECK(number(y(0, 0, c, 0)) == doctest::Approx(with[c]).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("pool2d: NaN anywhere in a window gives NaN, and only there", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (std::int64_t place = 0; place < 6; ++place) {
    image<float> x(1, 1, 6, 2 * M::width + 1), y(1, 1, 2, 2 * M::width + 1);
    const std::int64_t channel = place % (2 * M::width + 1);
    x.fill_with([&](auto, auto, auto c, auto k) {
      return c == place && k == channel ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(c);
    });
    const layer l{.win = {{1, 3}, {1, 3}, {1, 1}, {0, 0, 0, 0}}};
    pool2d<pool_kind::max, M>(problem(x, y, l), acc, serial{});
    CHECK(largest_error(y, [&](auto, auto, auto c, auto k) {
            return c == place / 3 && k == channel ? std::numeric_limits<double>::quiet_NaN()
                                                  : 3.0 * static_cast<double>(c) + 2.0;
          }) == 0.0);
  }
}

TEST_CASE_TEMPLATE("pool2d: nothing to do", M, reference_machine, cpu_machine<arch::native>) {
  check<pool_kind::max, M>({.n = 0, .win = {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
  check<pool_kind::average, M>({.channels = 0, .win = {{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}});
}
