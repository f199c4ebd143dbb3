// SPDX-License-Identifier: Apache-2.0
// Convolutions of all kinds on a device: the layers that the algorithms of the CPU are tested with (tests/cases), and
// products of matrices; epilogues, schedules, inputs that are converted as they load.
#pragma once

#include "cases/contractions.hpp"
#include "cases/windows.hpp"

namespace {

using tkl::graph;
using tkl::value;

tkl::conv2d_params params_of(const tkl::test::conv_layer& l) {
  return {.stride = {l.stride[0], l.stride[1]},
          .pad = {l.pad[0], l.pad[1], l.pad[2], l.pad[3]},
          .dilation = {l.dilation[0], l.dilation[1]},
          .groups = l.groups};
}

/// A graph has no convolution whose kernel does not fit: the builder says so.
bool refused(const graph& g, const tkl::test::conv_layer& l) {
  CHECK(g.error.empty() == (l.out(0) > 0 && l.out(1) > 0));
  return !g.error.empty();
}

template <tkl::work_item_schedule S>
void check_shapes() {
  for (const tkl::test::conv_layer& l : tkl::test::conv_layers) {
    const auto number = &l - tkl::test::conv_layers;
    CAPTURE(number);
    graph g;
    const value x = g.input("x", tkl::f32, {l.n, l.h, l.w, l.c});
    const value w = g.weight("w", {l.o, l.c / l.groups, l.kernel[0], l.kernel[1]}), b = g.weight("b", {l.o});
    const value y = tkl::conv2d(x, w, b, params_of(l));
    if (refused(g, l)) continue;
    g.output(tkl::silu(y) + g.input("residual", tkl::f32, y.shape()));
    CHECK(tkl_test::check_device_graph<S>(g) == "");
  }
}

TEST_CASE("implicit matrix products") {
  check_shapes<tkl_test::default_schedule>();
}
TEST_CASE("other schedules") {
  check_shapes<tkl::work_item_schedule{.pixels = 1, .vectors = 1, .group = {4, 4, 2}}>();
  check_shapes<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>();
}

TEST_CASE("infinities next to the border stay where they are") {
  graph g;
  const value x = g.input("x", tkl::f32, {1, 3, 3, 1});
  g.output(tkl::conv2d(x, g.weight("w", {1, 1, 3, 3}), {.pad = 1}));
  std::vector<float> numbers(9, 1.0f);
  numbers[8] = std::numeric_limits<float>::infinity();
  const tkl_test::device_run run = tkl_test::run_on_device(g, {numbers.data()});
  REQUIRE(run.error == "");
  for (const int distant : {0, 1, 2, 3, 6}) CHECK(std::isfinite(run.outputs[0][static_cast<std::size_t>(distant)]));
  CHECK(!std::isfinite(run.outputs[0][4]));
}

TEST_CASE("inputs that are converted as they load: bytes, flipped channels, columns in use, planes") {
  for (const tkl::test::conv_layer& l : tkl::test::staged_layers) {
    const auto number = &l - tkl::test::staged_layers;
    CAPTURE(number);
    graph g;
    const tkl::shape picture{l.n, l.h, l.w, l.c};
    const value bytes = g.input("bytes", tkl::u8, picture), width = g.input("width", tkl::i32, {1});
    const value planes = g.input("planes", tkl::f32, picture, tkl::memory_layout::nchw);
    const value scale = g.weight("scale", {l.c});
    value x = (tkl::cast(tkl::flip(bytes, 3), tkl::f32) - 127.5) / 127.5;
    x = tkl::keep_first(x, width, 2);
    const auto convolved = [&](value v, const char* name) {
      return tkl::conv2d(v, g.weight(name, {l.o, l.c / l.groups, l.kernel[0], l.kernel[1]}), params_of(l));
    };
    g.output(tkl::hard_swish(convolved(x, "w1")));
    g.output(convolved(planes, "w2") + 1.0);
    g.output(tkl::relu(convolved(planes * scale - 0.5, "w3")));
    if (refused(g, l)) continue;
    CHECK(tkl_test::check_device_graph(g) == "");
    CHECK(tkl_test::check_device_graph<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>(g) ==
          "");
  }
}

TEST_CASE("depthwise: filters of known and unknown size, repeated channels") {
  for (const std::int64_t kernel : {1, 3, 5})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t channels : {2, 5, 8})
        for (const std::int64_t repeat : {1, 3}) {
          CAPTURE(kernel);
          CAPTURE(stride);
          CAPTURE(channels);
          CAPTURE(repeat);
          graph g;
          const value x = g.input("x", tkl::f32, {2, 7, 10, channels});
          g.output(tkl::relu6(tkl::conv2d(x, g.weight("w", {channels * repeat, 1, kernel, kernel}),
                                          {.stride = stride, .pad = kernel / 2, .groups = channels})));
          CHECK(tkl_test::check_device_graph(g) == "");
        }
}

TEST_CASE("depthwise: any filter, dilation, one-sided padding, repeated channels") {
  for (const tkl::test::depthwise_layer& l : tkl::test::random_depthwise_layers(60, tkl::item_width)) {
    CAPTURE(l.rows);
    CAPTURE(l.columns);
    CAPTURE(l.channels);
    CAPTURE(l.multiplier);
    const tkl::test::window& w = l.win;
    graph g;
    const value x = g.input("x", tkl::f32, {l.n, l.rows, l.columns, l.channels});
    const value filter = g.weight("w", {l.channels * l.multiplier, 1, w.kernel[0], w.kernel[1]});
    const value y = tkl::conv2d(x, filter,
                                {.stride = {w.stride[0], w.stride[1]},
                                 .pad = {w.pad[0], w.pad[1], w.pad[2], w.pad[3]},
                                 .dilation = {w.dilation[0], w.dilation[1]},
                                 .groups = l.channels});
    CHECK(g.error.empty() == (w.outputs(0, l.rows) > 0 && w.outputs(1, l.columns) > 0));
    if (!g.error.empty()) continue;
    g.output(tkl::relu6(y));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
}

void check_transposed(const tkl::test::transposed_layer& l) {
  CAPTURE(l.kernel[0]);
  CAPTURE(l.stride[0]);
  CAPTURE(l.dilation[0]);
  CAPTURE(l.pad[0]);
  graph g;
  const value x = g.input("x", tkl::f32, {l.n, l.h, l.w, l.c});
  const value w = g.weight("w", {l.c, l.o / l.groups, l.kernel[0], l.kernel[1]}), b = g.weight("b", {l.o});
  g.output(tkl::relu(tkl::conv_transpose2d(x, w, b,
                                           {.stride = {l.stride[0], l.stride[1]},
                                            .pad = {l.pad[0], l.pad[1], l.pad[2], l.pad[3]},
                                            .dilation = {l.dilation[0], l.dilation[1]},
                                            .groups = l.groups,
                                            .output_pad = {l.output_pad[0], l.output_pad[1]}})));
  CHECK(tkl_test::check_device_graph(g) == "");
}
TEST_CASE("transposed") {
  for (const tkl::test::transposed_layer& l : tkl::test::transposed_layers) check_transposed(l);
}
TEST_CASE("transposed: each seventh of a small range of kernels, strides, dilations and paddings") {
  int number = 0;
  tkl::test::for_transposed_layers([&](const tkl::test::transposed_layer& l) {
    if (number++ % 7 == 0) check_transposed(l);
  });
}

template <tkl::work_item_schedule S>
void check_products() {
  for (const std::int64_t depth : {1, 4, 7})
    for (const std::int64_t columns : {1, 4, 6, 8, 11}) {
      CAPTURE(depth);
      CAPTURE(columns);
      graph g;
      const value x = g.input("x", tkl::f32, {3, 5, depth}), y = g.input("y", tkl::f32, {3, columns, depth});
      g.output(tkl::gelu(tkl::linear(x, g.weight("w", {columns, depth}), g.weight("b", {columns}))));
      g.output(tkl::matmul(x, y, {.transpose_b = true}) * 0.5);
      g.output(tkl::matmul(x, x, {.transpose_a = true}));
      g.output(tkl::matmul(x, g.input("z", tkl::f32, {3, depth, columns})));
      g.output(tkl::matmul(g.input("turned", tkl::f32, {3, depth, 5}), y, {.transpose_a = true, .transpose_b = true}));
      g.output(tkl::matmul(x, g.input("one of all", tkl::f32, {depth, columns})));
      CHECK(tkl_test::check_device_graph<S>(g) == "");
    }
}
TEST_CASE("matrix products with constant and with computed operands") {
  check_products<tkl_test::default_schedule>();
  check_products<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>();
}

}  // namespace
