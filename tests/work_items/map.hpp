// SPDX-License-Identifier: Apache-2.0
// Element-wise maps and copies on a device: broadcasting, strides of either sign, types, tails of every length.
#pragma once

namespace {

using tkl::graph;
using tkl::value;

TEST_CASE("tails and broadcasting") {
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 13}) {
    CAPTURE(columns);
    graph g;
    const value x = g.input("x", tkl::f32, {2, 3, 5, columns}), row = g.input("row", tkl::f32, {2, 3, 5, 1}),
                channel = g.weight("c", {columns}), one = g.input("one", tkl::f32, {1});
    g.output(tkl::relu(x * channel + row) - one);
    g.output(tkl::max(x, row) * 0.5 + tkl::select(tkl::less(x, 0.1), channel, one));
    CHECK(tkl_test::check_device_graph(g) == "");
  }
}

TEST_CASE("views: slices, flips, transposes, inputs in planes") {
  graph g;
  const value x = g.input("x", tkl::f32, {2, 3, 5, 7}),
              p = g.input("p", tkl::f32, {2, 3, 5, 7}, tkl::memory_layout::nchw);
  g.output(tkl::slice(x, 3, 1, 6, 2) * 2.0);
  g.output(tkl::flip(x, 3) + tkl::flip(p, 1));
  g.output(tkl::sigmoid(tkl::transpose(x, {0, 3, 1, 2})));
  g.output(x - p, "planes", tkl::memory_layout::nchw);
  g.output(tkl::concat(3, x, tkl::tanh(p), tkl::slice(x, 3, 0, 3)));
  CHECK(tkl_test::check_device_graph(g) == "");
}

TEST_CASE("types: conversions round as on the CPU") {
  graph g;
  const value x = g.input("x", tkl::f32, {3, 11}), picture = g.input("picture", tkl::u8, {3, 11}),
              count = g.input("count", tkl::i32, {1});
  g.output(tkl::cast(x * 3.0, tkl::f16));
  g.output(tkl::cast(x * 3.0, tkl::bf16));
  g.output(tkl::cast(x * 100.0, tkl::i32));
  g.output(tkl::cast(picture, tkl::f32) / 255.0);
  g.output(tkl::cast(tkl::cast(tkl::transpose(x, {1, 0}), tkl::f16), tkl::f32) * 2.0);
  g.output(tkl::keep_first(x, count, 1));
  g.output(tkl::transpose(tkl::cast(x * 100.0, tkl::i32), {1, 0}));
  CHECK(tkl_test::check_device_graph(g) == "");
}

TEST_CASE("integers are copied bit for bit, beyond what a float can hold") {
  graph g;
  const value x = g.input("x", tkl::i32, {2, 5});
  g.output(tkl::transpose(x, {1, 0}));
  g.output(g.input("one", tkl::i32, {1}));
  const std::vector<std::int32_t> numbers = {16777217, -16777219, 2147483647, -2147483647, 5, 6, 7, 8, 9, 33554433};
  const tkl_test::device_run run = tkl_test::run_on_device(g, {numbers.data(), numbers.data()});
  REQUIRE(run.error == "");
  CHECK(run.outputs[1][0] == 16777217);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j) CHECK(run.outputs[0][j * 2 + i] == numbers[i * 5 + j]);
}

TEST_CASE("vectors from any element on: slices at odd offsets, rows of odd length, half precision") {
  std::vector<tkl::half> numbers;
  for (int i = 0; i < 35; ++i) numbers.push_back(tkl::narrow<tkl::half>(i + 1.0));
  graph g;
  const value x = g.input("x", tkl::f16, {3}), rows = g.input("rows", tkl::f16, {5, 7});
  g.output(tkl::relu(tkl::cast(tkl::slice(x, 0, 1, 3), tkl::f32)));
  g.output(tkl::relu(tkl::cast(rows, tkl::f32)));
  g.output(tkl::relu(tkl::cast(tkl::slice(rows, 1, 1, 7), tkl::f32)));
  const tkl_test::device_run run = tkl_test::run_on_device(g, {numbers.data(), numbers.data()});
  REQUIRE(run.error == "");
  CHECK(run.outputs[0] == std::vector<double>{2, 3});
  for (std::size_t i = 0; i < 35; ++i) CHECK(run.outputs[1][i] == static_cast<double>(i + 1));
  for (std::size_t i = 0; i < 30; ++i) CHECK(run.outputs[2][i] == static_cast<double>(i / 6 * 7 + i % 6 + 2));
}

TEST_CASE("no elements") {
  graph g;
  const value x = g.input("x", tkl::f32, {2, 0, 3});
  g.output(tkl::relu(x));
  CHECK(tkl_test::check_device_graph(g) == "");
}

}  // namespace
