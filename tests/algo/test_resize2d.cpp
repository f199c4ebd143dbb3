// SPDX-License-Identifier: Apache-2.0
// Resize against its definition: coordinates, roundings, factors, borders, extent 1, tails, threads.
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <support/oracle_resize.hpp>
#include <tkl/algo/resize2d.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>
#include <vector>

using namespace tkl;
using namespace tkl::test;

namespace {

constexpr std::array all_coordinates{coordinate_kind::half_pixel, coordinate_kind::pytorch_half_pixel,
                                     coordinate_kind::asymmetric, coordinate_kind::align_corners};
constexpr std::array all_roundings{rounding_kind::floor, rounding_kind::ceil, rounding_kind::round_prefer_floor,
                                   rounding_kind::round_prefer_ceil};

struct layer {
  std::int64_t n = 1, in[2]{4, 5}, out[2]{8, 10}, channels = 9, gap = 0;
  coordinate_kind coordinates = coordinate_kind::asymmetric;
  rounding_kind rounding = rounding_kind::floor;
};

/// Whole numbers as input for nearest: a wrong element is a wrong result.
template <resize_kind K, class M, class TA = float, class TC = float>
void check(const layer& l, guard side = guard::end, double tolerance = 2e-6) {
  INFO("in ", l.in[0], "x", l.in[1], " out ", l.out[0], "x", l.out[1], " channels ", l.channels, " coordinates ",
       static_cast<int>(l.coordinates), " rounding ", static_cast<int>(l.rounding));
  random_numbers random{static_cast<std::uint32_t>(l.in[0] * 7 + l.out[1] + l.channels)};
  image<TA> x(l.n, l.in[0], l.in[1], l.channels, l.gap, side);
  x.fill_with([&](auto, auto, auto, auto) { return static_cast<double>(random.whole(0, 100)); });
  image<TC> y(l.n, l.out[0], l.out[1], l.channels, l.gap, side),
      split(l.n, l.out[0], l.out[1], l.channels, l.gap, side);
  image<float> addend(l.n, l.out[0], l.out[1], l.channels, 0, side);
  addend.fill_with([&](auto, auto, auto, auto) { return static_cast<double>(random.whole(0, 20)); });
  const auto* step = addend.strides();
  const auto epilogue = acc + element_node<float>{{}, addend.data(), {step[0], step[1], step[2]}};
  resize2d_problem<TA, TC> p{.x = x.const_view(), .y = y.view(), .coordinates = l.coordinates, .rounding = l.rounding};
  resize2d<K, M>(p, epilogue, serial{});
  p.y = split.view();
  resize2d<K, M>(p, epilogue, splitting{3});
  CHECK(y.gaps_intact());
  CHECK(y.same_bits(split));
  const double scale[2]{static_cast<double>(l.out[0]) / static_cast<double>(l.in[0]),
                        static_cast<double>(l.out[1]) / static_cast<double>(l.in[1])};
  CHECK(largest_error(y, [&](auto n, auto r, auto c, auto k) {
          const double v = K == resize_kind::nearest
                               ? nearest_oracle(x, l.coordinates, l.rounding, l.out, scale, n, r, c, k)
                               : bilinear_oracle(x, l.coordinates, l.out, scale, n, r, c, k);
          return v + number(addend(n, r, c, k));
        }) < tolerance);
}

/// A row of numbers of one channel, resized to `out` columns.
template <resize_kind K, class M>
std::vector<double> resize_row(const std::vector<double>& numbers, std::int64_t out, coordinate_kind coordinates,
                               rounding_kind rounding = rounding_kind::floor) {
  image<float> x(1, 1, static_cast<std::int64_t>(numbers.size()), 1), y(1, 1, out, 1);
  x.fill_with([&](auto, auto, auto c, auto) { return numbers[static_cast<std::size_t>(c)]; });
  resize2d<K, M>(
      resize2d_problem<float, float>{
          .x = x.const_view(), .y = y.view(), .coordinates = coordinates, .rounding = rounding},
      acc, serial{});
  std::vector<double> got;
  y.for_each([&](auto, auto, auto c, auto) { got.push_back(number(y(0, 0, c, 0))); });
  return got;
}

using row = std::vector<double>;

}  // namespace

TEST_CASE_TEMPLATE("resize2d: whole factors, all coordinates and roundings", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (const std::int64_t factor : std::array<std::int64_t, 4>{1, 2, 4, 8})
    for (const auto coordinates : all_coordinates) {
      layer l{.in = {3, 5},
              .out = {3 * factor, 5 * factor},
              .channels = M::width + 3,
              .gap = 1,
              .coordinates = coordinates};
      check<resize_kind::bilinear, M>(l);
      // With align_corners a coordinate may miss a tie by rounding; extents below avoid that.
      if (coordinates == coordinate_kind::align_corners) continue;
      for (const auto rounding : all_roundings) {
        l.rounding = rounding;
        check<resize_kind::nearest, M>(l);
      }
    }
}

TEST_CASE_TEMPLATE("resize2d: any extents, up and down", M, reference_machine, cpu_machine<arch::native>) {
  random_numbers random{11};
  for (int i = 0; i < 120; ++i) {
    layer l{.n = random.whole(1, 2),
            .in = {random.whole(1, 9), random.whole(1, 9)},
            .out = {random.whole(1, 21), random.whole(1, 70)},
            .channels = random.whole(1, 2 * M::width + 1),
            .gap = random.whole(0, 1),
            .coordinates = all_coordinates[static_cast<std::size_t>(random.whole(0, 3))]};
    check<resize_kind::bilinear, M>(l, i % 2 ? guard::end : guard::start);
    // Rounding to the nearest is sensitive to the last bit; odd extents of the output cannot meet a tie at half pixels.
    l.coordinates = coordinate_kind::half_pixel;
    l.rounding = rounding_kind::round_prefer_floor;
    l.in[0] = 1 + l.in[0] / 2 * 2, l.in[1] = 1 + l.in[1] / 2 * 2, l.out[0] |= 1, l.out[1] |= 1;
    check<resize_kind::nearest, M>(l, i % 2 ? guard::end : guard::start);
  }
}

TEST_CASE_TEMPLATE("resize2d: channel tails, and the layers of a detector", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (std::int64_t channels = 1; channels <= 2 * M::width + 1; ++channels)
    for (const guard side : {guard::end, guard::start}) {
      check<resize_kind::nearest, M>({.in = {2, 2}, .out = {4, 4}, .channels = channels}, side);
      check<resize_kind::bilinear, M>({.in = {2, 2}, .out = {5, 3}, .channels = channels}, side);
    }
  for (const std::int64_t factor : std::array<std::int64_t, 3>{2, 4, 8})
    check<resize_kind::nearest, M>(
        {.in = {6, 12}, .out = {6 * factor, 12 * factor}, .channels = factor == 2 ? 96 : 24});
}

TEST_CASE_TEMPLATE("resize2d: element types", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.in = {3, 4}, .out = {5, 7}, .channels = M::width + 1};
  check<resize_kind::nearest, M, half, half>(l);
  check<resize_kind::nearest, M, std::uint8_t, std::int32_t>(l);
  check<resize_kind::bilinear, M, half, float>(l);
  check<resize_kind::bilinear, M, bfloat16, bfloat16>(l, guard::end, 1e-2);
}

TEST_CASE_TEMPLATE("resize2d: output extent 1", M, reference_machine, cpu_machine<arch::native>) {
  const row ten{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  constexpr auto linear = resize_kind::bilinear;
  CHECK(resize_row<linear, M>(ten, 1, coordinate_kind::half_pixel) == row{4.5});
  CHECK(resize_row<linear, M>(ten, 1, coordinate_kind::pytorch_half_pixel) == row{0.0});
  CHECK(resize_row<linear, M>({5, 7, 9}, 1, coordinate_kind::align_corners) == row{5.0});
}

TEST_CASE_TEMPLATE("resize2d: the rounding kind counts", M, reference_machine, cpu_machine<arch::native>) {
  const auto twice = [](rounding_kind r) {
    return resize_row<resize_kind::nearest, M>({1, 2}, 4, coordinate_kind::asymmetric, r);
  };
  CHECK(twice(rounding_kind::floor) == row{1, 1, 2, 2});
  CHECK(twice(rounding_kind::round_prefer_floor) == row{1, 1, 2, 2});
  CHECK(twice(rounding_kind::round_prefer_ceil) == row{1, 2, 2, 2});
  CHECK(twice(rounding_kind::ceil) == row{1, 2, 2, 2});
}

TEST_CASE_TEMPLATE("resize2d: u8 rounds, with scales that are no ratio of the extents", M, reference_machine,
                   cpu_machine<arch::native>) {
  image<std::uint8_t> x(1, 2, 4, 1), y(1, 1, 2, 1);
  x.fill_with([](auto, auto r, auto c, auto) { return static_cast<double>(4 * r + c + 1); });
  resize2d<resize_kind::bilinear, M>(
      resize2d_problem<std::uint8_t, std::uint8_t>{.x = x.const_view(), .y = y.view(), .scale = {0.6f, 0.6f}}, acc,
      serial{});
  CHECK(static_cast<int>(y(0, 0, 0, 0)) == 3);
  CHECK(static_cast<int>(y(0, 0, 1, 0)) == 4);
}

TEST_CASE_TEMPLATE("resize2d: whole coordinates stay whole although the scale was narrowed to f32", M,
                   reference_machine, cpu_machine<arch::native>) {
  // 3 / 0.3f is below 10 in double precision; a third of the columns reads columns 0, 3, 6.
  image<float> x(1, 1, 31, 1), y(1, 1, 9, 1), third(1, 1, 10, 1);
  x.fill_with([](auto, auto, auto c, auto) { return static_cast<double>(c); });
  resize2d_problem<float, float> p{.x = x.const_view(),
                                   .y = y.view(),
                                   .scale = {1.0f, 0.3f},
                                   .coordinates = coordinate_kind::asymmetric,
                                   .rounding = rounding_kind::floor};
  resize2d<resize_kind::nearest, M>(p, acc, serial{});
  CHECK(number(y(0, 0, 3, 0)) == 10.0);
  CHECK(number(y(0, 0, 6, 0)) == 20.0);
  p.y = third.view();
  p.x.shape.extent[2] = 30;
  p.scale[1] = static_cast<float>(1.0 / 3.0);
  resize2d<resize_kind::nearest, M>(p, acc, serial{});
  CHECK(largest_error(third, [](auto, auto, auto c, auto) { return static_cast<double>(3 * c); }) == 0.0);
}

TEST_CASE_TEMPLATE("resize2d: an infinity with weight 0 is not read", M, reference_machine, cpu_machine<arch::native>) {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(resize_row<resize_kind::bilinear, M>({1, inf, 3}, 5, coordinate_kind::align_corners) ==
        row{1, inf, inf, inf, 3});
  CHECK(resize_row<resize_kind::bilinear, M>({1, inf, 3}, 3, coordinate_kind::asymmetric) == row{1, inf, 3});
}

TEST_CASE_TEMPLATE("resize2d: nothing to do", M, reference_machine, cpu_machine<arch::native>) {
  check<resize_kind::nearest, M>({.n = 0});
  check<resize_kind::bilinear, M>({.channels = 0});
}
