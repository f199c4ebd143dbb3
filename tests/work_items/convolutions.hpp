// SPDX-License-Identifier: Apache-2.0
// Convolutions of all kinds on a device: channels around the vector, borders, groups, epilogues, schedules, inputs that
// are converted as they load.
#pragma once

namespace {

using tkl::graph;
using tkl::value;

struct shape_of_conv {
  std::int64_t rows, columns, in, out, kernel, stride, pad, dilation, groups;
};

value convolution(graph& g, const shape_of_conv& s) {
  const value x = g.input("x", tkl::f32, {2, s.rows, s.columns, s.in});
  return tkl::conv2d(x, g.weight("w", {s.out, s.in / s.groups, s.kernel, s.kernel}), g.weight("b", {s.out}),
                     {.stride = s.stride, .pad = s.pad, .dilation = s.dilation, .groups = s.groups});
}

template <tkl::work_item_schedule S>
void check_shapes() {
  constexpr shape_of_conv shapes[] = {
      {1, 1, 1, 1, 1, 1, 0, 1, 1}, {5, 7, 3, 5, 3, 1, 1, 1, 1},  {6, 9, 4, 8, 3, 2, 1, 1, 1},
      {7, 4, 5, 3, 2, 1, 0, 2, 1}, {3, 3, 8, 6, 3, 1, 2, 1, 2},  {9, 13, 6, 9, 3, 1, 1, 1, 3},
      {4, 5, 7, 4, 1, 1, 0, 1, 1}, {3, 2, 2, 17, 5, 1, 4, 1, 1},
  };
  for (const shape_of_conv& s : shapes) {
    CAPTURE(s.columns);
    CAPTURE(s.in);
    CAPTURE(s.out);
    graph g;
    const value y = convolution(g, s);
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
  for (const std::int64_t channels : {1, 3, 4, 5})
    for (const std::int64_t kernel : {1, 3})
      for (const std::int64_t stride : {1, 2}) {
        CAPTURE(channels);
        CAPTURE(kernel);
        CAPTURE(stride);
        graph g;
        const value bytes = g.input("bytes", tkl::u8, {2, 5, 9, channels}), width = g.input("width", tkl::i32, {1});
        const value planes = g.input("planes", tkl::f32, {2, 5, 9, channels}, tkl::memory_layout::nchw);
        const value scale = g.weight("scale", {channels});
        value x = (tkl::cast(tkl::flip(bytes, 3), tkl::f32) - 127.5) / 127.5;
        x = tkl::keep_first(x, width, 2);
        const auto convolved = [&](value v, const char* name) {
          return tkl::conv2d(v, g.weight(name, {6, channels, kernel, kernel}), {.stride = stride, .pad = kernel / 2});
        };
        g.output(tkl::hard_swish(convolved(x, "w1")));
        g.output(convolved(planes, "w2") + 1.0);
        g.output(tkl::relu(convolved(planes * scale - 0.5, "w3")));
        CHECK(tkl_test::check_device_graph(g) == "");
        CHECK(tkl_test::check_device_graph<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>(
                  g) == "");
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
  graph g;
  const value x = g.input("x", tkl::f32, {1, 9, 9, 6});
  g.output(tkl::conv2d(x, g.weight("w", {6, 1, 3, 3}), {.pad = 2, .dilation = 2, .groups = 6}));
  CHECK(tkl_test::check_device_graph(g) == "");
}

TEST_CASE("transposed") {
  for (const std::int64_t stride : {1, 2, 3})
    for (const std::int64_t kernel : {1, 2, 4})
      for (const std::int64_t dilation : {1, 2}) {
        CAPTURE(stride);
        CAPTURE(kernel);
        CAPTURE(dilation);
        graph g;
        const value x = g.input("x", tkl::f32, {2, 4, 5, 6});
        const value w = g.weight("w", {6, 3, kernel, kernel}), b = g.weight("b", {6});
        const std::int64_t pad = kernel > 2 ? 1 : 0;
        g.output(tkl::relu(
            tkl::conv_transpose2d(x, w, b, {.stride = stride, .pad = pad, .dilation = dilation, .groups = 2})));
        CHECK(tkl_test::check_device_graph(g) == "");
      }
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
      CHECK(tkl_test::check_device_graph<S>(g) == "");
    }
}
TEST_CASE("matrix products with constant and with computed operands") {
  check_products<tkl_test::default_schedule>();
  check_products<tkl::work_item_schedule{.pixels = 2, .vectors = 2, .group = {16, 1, 1}}>();
}

}  // namespace
