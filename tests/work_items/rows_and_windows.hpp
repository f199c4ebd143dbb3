// SPDX-License-Identifier: Apache-2.0
// Pooling, reductions, softmax, layer normalisation, attention, resizing and padding on a device.
#pragma once

#include "cases/windows.hpp"

namespace {

using tkl::graph;
using tkl::value;

TEST_CASE("pooling") {
  for (const bool ceil : {false, true})
    for (const bool include : {false, true}) {
      graph g;
      const value x = g.input("x", tkl::f32, {2, 7, 10, 6});
      g.output(tkl::max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1, .ceil_mode = ceil}));
      g.output(tkl::relu(tkl::average_pool2d(
          x, {.kernel = {2, 3}, .stride = {2, 1}, .pad = {1, 1}, .ceil_mode = ceil, .count_include_pad = include})));
      CHECK(tkl_test::check_device_graph(g) == "");
    }
}

TEST_CASE("pooling: the windows that the algorithms of the CPU are tested with") {
  for (const tkl::test::pool_layer& l : tkl::test::random_pool_layers(60, 5 * tkl::item_width + 1)) {
    const tkl::test::window& w = l.win;
    CAPTURE(l.rows);
    CAPTURE(l.columns);
    CAPTURE(l.channels);
    const bool more = l.out_rows > w.outputs(0, l.rows) || l.out_columns > w.outputs(1, l.columns);
    const auto with = [&](auto p) {
      p.kernel = {w.kernel[0], w.kernel[1]}, p.stride = {w.stride[0], w.stride[1]};
      p.pad = {w.pad[0], w.pad[1], w.pad[2], w.pad[3]}, p.dilation = {w.dilation[0], w.dilation[1]};
      p.ceil_mode = more;
      return p;
    };
    graph g;
    const value x = g.input("x", tkl::f32, {l.n, l.rows, l.columns, l.channels});
    g.output(tkl::max_pool2d(x, with(tkl::max_pool2d_params{})));
    g.output(tkl::relu(tkl::average_pool2d(x, with(tkl::average_pool2d_params{.count_include_pad = l.include_pad}))));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
}

TEST_CASE("reductions over every set of axes") {
  for (int axes = 1; axes < 16; ++axes) {
    CAPTURE(axes);
    graph g;
    const value x = g.input("x", tkl::f32, {2, 3, 4, 6});
    tkl::axis_list list{};
    for (int i = 0; i < 4; ++i)
      if (axes >> i & 1) list.axis[list.count++] = i;
    g.output(tkl::reduce_sum(x, list) * 0.25);
    g.output(tkl::reduce_mean(x, list));
    g.output(tkl::reduce_max(x, list));
    g.output(tkl::reduce_min(x, list, {.keep_dims = false}));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
}

TEST_CASE("the first of the largest elements") {
  graph g;
  const value x = g.input("x", tkl::f32, {2, 3, 5, 6});
  for (int axis = 0; axis < 4; ++axis) g.output(tkl::argmax(x, axis));
  CHECK(tkl_test::check_device_graph(g) == "");
  graph h;
  h.output(tkl::argmax(h.input("x", tkl::f32, {2, 5}), 1));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers = {1, 3, 3, 2, 3, 1, nan, 9, nan, 2};
  const tkl_test::device_run run = tkl_test::run_on_device(h, {numbers.data()});
  REQUIRE(run.error == "");
  CHECK(run.outputs[0][0] == 1);
  CHECK(run.outputs[0][1] == 1);
}

TEST_CASE("rows") {
  for (const std::int64_t columns : {1, 3, 4, 5, 8, 257, 600}) {
    CAPTURE(columns);
    graph g;
    const value x = g.input("x", tkl::f32, {2, 3, columns}), c = g.weight("scale", {columns}),
                o = g.weight("offset", {columns});
    g.output(tkl::softmax(x * 4.0));
    g.output(tkl::log_softmax(x) * 0.125);
    g.output(tkl::layer_norm(x + 100.0, c, o, {.eps = 1e-2}));
    g.output(tkl::layer_norm(x, {.eps = 1e-2}));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
}

TEST_CASE("rows with infinities and NaN") {
  graph g;
  g.output(tkl::softmax(g.input("x", tkl::f32, {3, 5})));
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers = {1, -inf, 2, -inf, -inf, -inf, -inf, -inf, -inf, -inf, 1, 2, nan, 3, 4};
  const tkl_test::device_run run = tkl_test::run_on_device(g, {numbers.data()});
  REQUIRE(run.error == "");
  CHECK(run.outputs[0][1] == 0);
  CHECK(run.outputs[0][2] == doctest::Approx(1 / (1 + std::exp(-1.0))));
  for (std::size_t i = 5; i < 15; ++i) CHECK(std::isnan(run.outputs[0][i]));
}

TEST_CASE("attention") {
  for (const std::int64_t heads : {1, 3})
    for (const std::int64_t depth : {1, 4, 6}) {
      CAPTURE(heads);
      CAPTURE(depth);
      graph g;
      const value q = g.input("q", tkl::f32, {2, 5, heads * depth}), k = g.input("k", tkl::f32, {2, 7, heads * depth}),
                  v = g.input("v", tkl::f32, {2, 7, heads * 5}), mask = g.input("mask", tkl::f32, {2, 1, 5, 7});
      g.output(tkl::attention(q, k, v, {.heads = heads}));
      g.output(tkl::attention(q, k, v, mask, {.heads = heads}) * 2.0);
      CHECK(tkl_test::check_device_graph(g) == "");
    }
  for (int own = 0; own < 16; ++own) {  // the mask's axes with values of their own: batch, head, query, key
    CAPTURE(own);
    graph g;
    const value q = g.input("q", tkl::f32, {2, 5, 6}), k = g.input("k", tkl::f32, {2, 7, 6});
    const value mask = g.input("mask", tkl::f32, {own & 1 ? 2 : 1, own & 2 ? 2 : 1, own & 4 ? 5 : 1, own & 8 ? 7 : 1});
    g.output(tkl::attention(q, k, k, mask, {.heads = 2}));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
  for (const tkl::causality c : {tkl::causality::top_left, tkl::causality::bottom_right})
    for (const std::int64_t queries : {5, 11}) {
      CAPTURE(queries);
      graph g;
      const value q = g.input("q", tkl::f32, {2, queries, 6 * 5}), k = g.input("k", tkl::f32, {2, 7, 2 * 5}),
                  v = g.input("v", tkl::f32, {2, 7, 2 * 6});
      g.output(tkl::attention(q, k, v, {.heads = 6, .key_heads = 2, .causal = c}));
      g.output(tkl::attention(q, k, v, g.input("mask", tkl::f32, {7}), {.heads = 6, .key_heads = 2, .causal = c}));
      CHECK(tkl_test::check_device_graph(g) == "");
    }
}

TEST_CASE("resizing") {
  using tkl::coordinate_kind;
  for (const coordinate_kind c : {coordinate_kind::half_pixel, coordinate_kind::pytorch_half_pixel,
                                  coordinate_kind::asymmetric, coordinate_kind::align_corners}) {
    graph g;
    const value x = g.input("x", tkl::f32, {2, 5, 4, 6});
    g.output(tkl::resize(x, {.extent = {9, 7}, .kind = tkl::resize_kind::bilinear, .coordinates = c}));
    g.output(tkl::relu(tkl::resize(x, {.extent = {3, 11}, .coordinates = c})));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
  using tkl::rounding_kind;
  for (const rounding_kind r :
       {rounding_kind::floor, rounding_kind::ceil, rounding_kind::round_prefer_floor, rounding_kind::round_prefer_ceil})
    for (const std::int64_t factor : {1, 2, 3}) {
      CAPTURE(factor);
      graph g;
      const value x = g.input("x", tkl::f32, {1, 3, 5, 7});
      for (const coordinate_kind c : {coordinate_kind::half_pixel, coordinate_kind::asymmetric})
        g.output(tkl::resize(x, {.scale = static_cast<double>(factor), .coordinates = c, .rounding = r}));
      g.output(tkl::resize(x, {.extent = {1, 1}, .rounding = r}));
      CHECK(tkl_test::check_device_graph(g) == "");
    }
}

TEST_CASE("padding") {
  graph g;
  const value x = g.input("x", tkl::f32, {2, 3, 4, 5});
  g.output(tkl::pad(x, tkl::shape(0, 1, 2, 3), tkl::shape(1, 0, 1, 2), 0.5));
  g.output(tkl::tanh(tkl::pad(x, tkl::shape(1, 0, 0, 1), tkl::shape(0, 0, 0, 0), -1.0)));
  CHECK(tkl_test::check_device_graph(g) == "");
}

}  // namespace
