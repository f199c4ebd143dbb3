// SPDX-License-Identifier: Apache-2.0
// Resizing, broadcasting, slices and concatenations whose results are known exactly, empty tensors included.
// tkl-test: timeout=600
#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::u8, tkl::value;
using enum tkl::resize_kind;
using enum tkl::coordinate_kind;
using rounding = tkl::rounding_kind;

namespace {

template <flavour F>
struct resized {
  static constexpr void build(graph& g) {
    const value ten = g.input("ten", f32, {1, 1, 10, 1}), three = g.input("three", f32, {1, 3, 1, 1}),
                two = g.input("two", f32, {1, 1, 2, 1});
    declare<F>(g, tkl::resize(ten, {.extent = {1, 1}, .kind = bilinear, .coordinates = half_pixel}), "half pixel");
    declare<F>(g, tkl::resize(ten, {.extent = {1, 1}, .kind = bilinear, .coordinates = pytorch_half_pixel}),
               "pytorch half pixel");
    declare<F>(g, tkl::resize(three, {.extent = {1, 1}, .kind = bilinear, .coordinates = align_corners}), "corners");
    const auto doubled = [&](rounding r) {
      return tkl::resize(two, {.scale = {1, 2}, .kind = nearest, .coordinates = asymmetric, .rounding = r});
    };
    declare<F>(g, doubled(rounding::floor), "floor");
    declare<F>(g, doubled(rounding::round_prefer_floor), "prefer floor");
    declare<F>(g, doubled(rounding::round_prefer_ceil), "prefer ceil");
    declare<F>(g, doubled(rounding::ceil), "ceil");
  }
};

/// Bytes: a resized value is a byte again, also where a wider reader follows.
template <flavour F>
struct resized_bytes {
  static constexpr void build(graph& g) {
    const value x = g.input("x", u8, {1, 2, 4, 1});
    const value y = tkl::resize(x, {.scale = 0.6, .kind = bilinear, .coordinates = half_pixel});
    if (F == flavour::unfused) g.output(y, "y");
    g.output(tkl::cast(y, f32) * 2.0 + 1.0, "y+");
  }
};

template <flavour F>
struct broadcasts {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {2, 3}), row = g.input("row", f32, {1, 3}),
                column = g.input("column", f32, {2, 1});
    const value one = g.input("one", f32, {1});
    declare<F>(g, x + row, "rows");
    declare<F>(g, column + row, "both");
    declare<F>(g, x + one, "scalar right");
    declare<F>(g, one + x, "scalar left");
    declare<F>(g, 100.0 + x, "literal left");
    declare<F>(g, x - 100.0, "literal right");
  }
};

template <flavour F>
struct slices {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {5});
    declare<F>(g, tkl::slice(x, 0, 0, 5, -1), "empty");
    declare<F>(g, tkl::slice(x, 0, -1, -5, -1), "backwards");
    declare<F>(g, tkl::slice(x, 0, 3, 0, -2), "by two");
    declare<F>(g, tkl::slice(x, 0, 1, std::int64_t{1} << 62, 3), "far end");
    declare<F>(g, tkl::slice(x, 0, -1, tkl::to_first, -1), "reversed");
  }
};

template <flavour F>
struct joins {
  static constexpr void build(graph& g) {
    const value none = g.input("none", f32, {0}), two = g.input("two", f32, {2});
    declare<F>(g, tkl::concat(0, none, two), "first empty");
    declare<F>(g, tkl::concat(0, two, none), "last empty");
    declare<F>(g, tkl::concat(0, none, none), "both empty");
    const value x = g.input("x", f32, {2, 3});
    declare<F>(g, tkl::concat(1, g.input("no columns", f32, {2, 0}), x), "columns");
    declare<F>(g, tkl::concat(0, g.input("no rows", f32, {0, 3}), x), "rows");
  }
};

}  // namespace

TEST_CASE("resize: one element, corners, the four roundings") {
  check_flavours<resized>({
      .given = {{"ten", counting(10, 0)}, {"three", {5, 7, 9}}, {"two", {1, 2}}},
      .results = {{"half pixel", {4.5}},
                  {"pytorch half pixel", {0}},
                  {"corners", {5}},
                  {"floor", {1, 1, 2, 2}},
                  {"prefer floor", {1, 1, 2, 2}},
                  {"prefer ceil", {1, 2, 2, 2}},
                  {"ceil", {1, 2, 2, 2}}},
  });
}

TEST_CASE("resize of bytes rounds, before anything that follows") {
  check_flavours<resized_bytes>(
      {.given = {{"x", counting(8)}}, .results = {{"y", {3, 4}}, {"y+", {7, 9}}}, .planned = false});
}

TEST_CASE("broadcasting fills every row, from either side") {
  check_flavours<broadcasts>({
      .given = {{"x", counting(6)}, {"row", {10, 20, 30}}, {"column", {1, 2}}, {"one", {100}}},
      .results = {{"rows", {11, 22, 33, 14, 25, 36}},
                  {"both", {11, 21, 31, 12, 22, 32}},
                  {"scalar right", counting(6, 101)},
                  {"scalar left", counting(6, 101)},
                  {"literal left", counting(6, 101)},
                  {"literal right", counting(6, -99)}},
  });
}

TEST_CASE("slices with negative steps, empty ones and far ends") {
  check_flavours<slices>({
      .given = {{"x", counting(5, 0)}},
      .results = {{"empty", {}},
                  {"backwards", {4, 3, 2, 1}},
                  {"by two", {3, 1}},
                  {"far end", {1, 4}},
                  {"reversed", {4, 3, 2, 1, 0}}},
  });
}

TEST_CASE("concatenations with empty parts") {
  check_flavours<joins>({
      .given = {{"none", {}}, {"two", {1, 2}}, {"x", counting(6)}, {"no columns", {}}, {"no rows", {}}},
      .results = {{"first empty", {1, 2}},
                  {"last empty", {1, 2}},
                  {"both empty", {}},
                  {"columns", counting(6)},
                  {"rows", counting(6)}},
  });
}
