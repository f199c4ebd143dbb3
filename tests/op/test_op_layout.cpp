// SPDX-License-Identifier: Apache-2.0
// Slices, joins, borders, permutations, resizing: the ops that move elements.
#include <limits>

#include "run_op.hpp"

namespace {

constexpr std::int64_t big = std::numeric_limits<std::int64_t>::max();

numbers sliced(std::int64_t extent, std::int64_t begin, std::int64_t end, std::int64_t step) {
  return run_op({counting({extent}, 0)},
                [&](tkl::graph&, graph_inputs in) { return tkl::slice(in[0], 0, begin, end, step); })
      .values;
}

/// NumPy's rule as its documentation words it: collect the indices one by one.
numbers sliced_by_walking(std::int64_t extent, std::int64_t begin, std::int64_t end, std::int64_t step) {
  if (begin < 0) begin += extent;
  if (end < 0) end += extent;
  numbers all;
  if (step > 0) {
    if (begin < 0) begin = 0;
    for (std::int64_t i = begin; i < end && i < extent; i += step) all.push_back(static_cast<double>(i));
  } else {
    if (begin > extent - 1) begin = extent - 1;
    for (std::int64_t i = begin; i > end && i >= 0; i += step) all.push_back(static_cast<double>(i));
  }
  return all;
}

numbers resized(const tensor_of_test& x, const tkl::resize_params& p) {
  const auto r = run_op({x}, [&](tkl::graph&, graph_inputs in) { return tkl::resize(in[0], p); });
  CHECK(r.error == "");
  return r.values;
}

}  // namespace

TEST_CASE("slices clamp as NumPy does") {
  CHECK(sliced(5, 0, 5, -1) == numbers{});
  CHECK(sliced(5, -1, -5, -1) == numbers{4, 3, 2, 1});
  CHECK(sliced(5, 3, 0, -2) == numbers{3, 1});
  CHECK(sliced(5, 1, big, 3) == numbers{1, 4});
  CHECK(sliced(5, -1, tkl::to_first, -1) == numbers{4, 3, 2, 1, 0});
  CHECK(sliced(5, 2, tkl::to_last, 1) == numbers{2, 3, 4});
  for (std::int64_t extent = 0; extent <= 5; ++extent)
    for (std::int64_t begin = -8; begin <= 8; ++begin)
      for (std::int64_t end = -8; end <= 8; ++end)
        for (std::int64_t step : {-3, -2, -1, 1, 2, 3})
          REQUIRE(sliced(extent, begin, end, step) == sliced_by_walking(extent, begin, end, step));
}

TEST_CASE("slice ranges at the ends of 64 bits") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(tkl::slice_of(5, least, big, big).count == 1);
  CHECK(tkl::slice_of(5, big, least, least).count == 1);
  CHECK(tkl::slice_of(5, big, least, least).begin == 4);
  CHECK(tkl::slice_of(5, big, least, -1).count == 5);
  CHECK(sliced(5, big, least, least) == numbers{4});
  CHECK(tkl::slice_of(big, 0, big, 1).count == big);
}

TEST_CASE("slices, reversal and parts of inner axes") {
  const tensor_of_test x = counting({2, 4, 2});
  const auto by = [&](auto f) { return run_op({x}, [&](tkl::graph&, graph_inputs in) { return f(in[0]); }); };
  CHECK(by([](tkl::value v) { return tkl::slice(v, 1, 1, 4, 2); }).values == numbers{3, 4, 7, 8, 11, 12, 15, 16});
  CHECK(by([](tkl::value v) { return tkl::flip(v, 1); }).values ==
        numbers{7, 8, 5, 6, 3, 4, 1, 2, 15, 16, 13, 14, 11, 12, 9, 10});
  CHECK(by([](tkl::value v) { return tkl::flip(v, -1); }).values ==
        numbers{2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15});
  CHECK(by([](tkl::value v) {
          const auto [a, b] = tkl::split<2>(v, 1);
          return tkl::concat(1, b, a);
        }).values == numbers{5, 6, 7, 8, 1, 2, 3, 4, 13, 14, 15, 16, 9, 10, 11, 12});
  CHECK(by([](tkl::value v) { return tkl::split(v, -1, 2)[1]; }).values == numbers{2, 4, 6, 8, 10, 12, 14, 16});
}

TEST_CASE("concatenation, empty operands included") {
  const auto join = [](int axis, const std::vector<tensor_of_test>& all) {
    return run_op(all,
                  [&](tkl::graph&, graph_inputs in) { return tkl::concat(axis, std::span<const tkl::value>(in)); });
  };
  CHECK(join(0, {counting({0}), counting({2})}).values == numbers{1, 2});
  CHECK(join(0, {counting({2}), counting({0})}).values == numbers{1, 2});
  CHECK(join(0, {counting({0}), counting({0})}).values.empty());
  CHECK(join(1, {counting({2, 0}), counting({2, 3})}).values == counting({2, 3}).values);
  CHECK(join(0, {counting({0, 3}), counting({2, 3})}).values == counting({2, 3}).values);
  CHECK(join(-1, {counting({2, 1}), counting({2, 2}, 10), counting({2, 1}, 20)}).values ==
        numbers{1, 10, 11, 20, 2, 12, 13, 21});
}

TEST_CASE("pad, transpose, reshape") {
  const auto padded = run_op({counting({2, 2})}, [](tkl::graph&, graph_inputs in) {
    return tkl::pad(in[0], {1, 0}, {0, 2}, -1);
  });
  CHECK(padded.values == numbers{-1, -1, -1, -1, 1, 2, -1, -1, 3, 4, -1, -1});
  CHECK(run_op({counting({0, 2})}, [](tkl::graph&, graph_inputs in) {
          return tkl::pad(in[0], {1, 0}, {0, 0}, 9);
        }).values == numbers{9, 9});
  const auto turned = run_op({counting({2, 3, 2})}, [](tkl::graph&, graph_inputs in) {
    return tkl::transpose(in[0], {2, 0, 1});
  });
  CHECK(turned.shape == tkl::shape{2, 2, 3});
  CHECK(turned.values == numbers{1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12});
  const auto shaped = run_op({counting({2, 3, 2})}, [](tkl::graph&, graph_inputs in) {
    return tkl::reshape(in[0], {3, -1});
  });
  CHECK(shaped.shape == tkl::shape{3, 4});
  CHECK(shaped.values == counting({12}).values);
  CHECK(run_op({counting({1})}, [](tkl::graph&, graph_inputs in) { return tkl::reshape(in[0], {}); }).shape.rank == 0);
  // A picture row by row with its channels last; four permutations of it undone by their inverses.
  for (const tkl::axis_list& p : {tkl::axis_list{0, 3, 1, 2}, tkl::axis_list{3, 2, 1, 0}, tkl::axis_list{1, 0, 3, 2}}) {
    tkl::axis_list inverse = p;
    for (int i = 0; i < 4; ++i) inverse.axis[p.axis[i]] = i;
    CHECK(run_op({counting({2, 3, 4, 5})}, [&](tkl::graph&, graph_inputs in) {
            return tkl::transpose(tkl::transpose(in[0], p), inverse);
          }).values == counting({2, 3, 4, 5}).values);
  }
}

TEST_CASE("resize at an extent of 1") {
  const tensor_of_test ten = counting({1, 1, 10, 1}, 0);
  using tkl::coordinate_kind;
  const auto to_one = [&](const tensor_of_test& x, coordinate_kind c) {
    return resized(x, {.extent = {1, 1}, .kind = tkl::resize_kind::bilinear, .coordinates = c});
  };
  CHECK(to_one(ten, coordinate_kind::half_pixel) == numbers{4.5});
  CHECK(to_one(ten, coordinate_kind::pytorch_half_pixel) == numbers{0});
  CHECK(to_one(ten, coordinate_kind::asymmetric) == numbers{0});
  CHECK(to_one({{1, 1, 3, 1}, {5, 7, 9}}, coordinate_kind::align_corners) == numbers{5});
}

TEST_CASE("nearest resize by each rounding") {
  const auto twice = [](tkl::rounding_kind r) {
    return resized({{1, 1, 2, 1}, {1, 2}},
                   {.scale = {1, 2}, .coordinates = tkl::coordinate_kind::asymmetric, .rounding = r});
  };
  using tkl::rounding_kind;
  CHECK(twice(rounding_kind::floor) == numbers{1, 1, 2, 2});
  CHECK(twice(rounding_kind::round_prefer_floor) == numbers{1, 1, 2, 2});
  CHECK(twice(rounding_kind::round_prefer_ceil) == numbers{1, 2, 2, 2});
  CHECK(twice(rounding_kind::ceil) == numbers{1, 2, 2, 2});
  CHECK(resized({{1, 1, 2, 1}, {1, 2}}, {.scale = {2, 3}}) == numbers{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("8-bit bilinear resize rounds") {
  tensor_of_test x = counting({1, 2, 4, 1});
  x.type = tkl::u8;
  const auto r = run_op({x}, [](tkl::graph&, graph_inputs in) {
    return tkl::resize(in[0], {.scale = 0.6, .kind = tkl::resize_kind::bilinear});
  });
  CHECK(r.shape == tkl::shape{1, 1, 2, 1});
  CHECK(r.values == numbers{3, 4});
  x.type = tkl::f32;
  CHECK(close(resized(x, {.scale = 0.6, .kind = tkl::resize_kind::bilinear}), {8.0 / 3, 13.0 / 3}));
}

TEST_CASE("bilinear resize to the same extent is the identity; an unread infinite neighbour stays unread") {
  tensor_of_test x = counting({1, 3, 4, 2});
  x.values[5] = std::numeric_limits<double>::infinity();
  for (const auto c : {tkl::coordinate_kind::half_pixel, tkl::coordinate_kind::pytorch_half_pixel,
                       tkl::coordinate_kind::asymmetric, tkl::coordinate_kind::align_corners})
    CHECK(resized(x, {.extent = {3, 4}, .kind = tkl::resize_kind::bilinear, .coordinates = c}) == x.values);
}

TEST_CASE("resize coordinates against linear functions") {
  // Bilinear interpolation of f(i) = i is the clamped coordinate itself.
  for (std::int64_t in = 1; in <= 7; ++in)
    for (std::int64_t out = 1; out <= 15; ++out)
      for (const auto c : {tkl::coordinate_kind::half_pixel, tkl::coordinate_kind::pytorch_half_pixel,
                           tkl::coordinate_kind::asymmetric, tkl::coordinate_kind::align_corners}) {
        const numbers r = resized(counting({1, in, 1, 1}, 0),
                                  {.extent = {out, 1}, .kind = tkl::resize_kind::bilinear, .coordinates = c});
        REQUIRE(r.size() == static_cast<std::size_t>(out));
        for (std::int64_t o = 0; o < out; ++o) {
          const double ratio = static_cast<double>(in) / static_cast<double>(out);
          double at = 0;
          if (c == tkl::coordinate_kind::half_pixel) at = (static_cast<double>(o) + 0.5) * ratio - 0.5;
          if (c == tkl::coordinate_kind::pytorch_half_pixel && out > 1)
            at = (static_cast<double>(o) + 0.5) * ratio - 0.5;
          if (c == tkl::coordinate_kind::asymmetric) at = static_cast<double>(o) * ratio;
          if (c == tkl::coordinate_kind::align_corners && out > 1)
            at = static_cast<double>(o * (in - 1)) / static_cast<double>(out - 1);
          at = at < 0 ? 0 : at > static_cast<double>(in - 1) ? static_cast<double>(in - 1) : at;
          REQUIRE(std::fabs(r[static_cast<std::size_t>(o)] - at) < 1e-9);
        }
      }
}

TEST_CASE("resize extents are floor(input * scale)") {
  const auto rows = [](std::int64_t in, double scale) {
    return tkl::resize_rule({1, in, 1, 1}, {.scale = {scale, 1.0}}).result.out[1];
  };
  CHECK(rows(2, 0.6) == 1);
  CHECK(rows(4, 0.6) == 2);
  CHECK(rows(5, 2) == 10);
  CHECK(rows(3, 1.5) == 4);
}
