// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/convolutions.hpp on the first OpenCL device, with the schedule of CPUs, too.
#include <tkl/arch/opencl_cpu.hpp>

#include "support/opencl_compare.hpp"
#include "work_items/convolutions.hpp"

namespace {

TEST_CASE("the schedule of CPUs") {
  check_shapes<tkl::arch::opencl_cpu::items>();
  check_products<tkl::arch::opencl_cpu::items>();
}

TEST_CASE("extents as numbers in the text: one step of each kind") {
  constexpr tkl::work_item_schedule literal = [] {
    tkl::work_item_schedule s = tkl_test::default_schedule;
    s.literal_extents = true;
    return s;
  }();
  graph g;
  const value x = g.input("x", tkl::f32, {2, 5, 7, 6});
  g.output(tkl::relu(tkl::conv2d(x, g.weight("w", {9, 6, 3, 3}), g.weight("b", {9}), {.stride = 2, .pad = 1})));
  g.output(tkl::conv2d(x, g.weight("d", {6, 1, 3, 3}), {.pad = 1, .groups = 6}));
  g.output(tkl::conv_transpose2d(x, g.weight("t", {6, 5, 2, 2}), {.stride = 2}));
  g.output(tkl::max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1, .ceil_mode = true}));
  g.output(tkl::resize(x, {.extent = {4, 9}, .kind = tkl::resize_kind::bilinear}));
  g.output(tkl::pad(x, tkl::shape(0, 1, 0, 2), tkl::shape(0, 0, 2, 1), 0.5));
  const value rows = tkl::softmax(tkl::reshape(x, {2, 35, 6}));
  g.output(tkl::matmul(rows, rows, {.transpose_b = true}) * 0.5);
  g.output(tkl::attention(rows, rows, tkl::layer_norm(rows, {.eps = 1e-2}), {.heads = 2}));
  g.output(tkl::reduce_mean(rows, {1}));
  CHECK(tkl_test::check_device_graph<literal>(g) == "");
}

TEST_CASE("half storage") {  // its random graphs are in test_half_storage.cpp; this one is run by oclgrind, too
  graph g;
  const value x = g.input("x", tkl::f32, {1, 5, 7, 6});
  value y = tkl::relu(tkl::conv2d(x, g.weight("w", {9, 6, 3, 3}), g.weight("b", {9}), {.pad = 1}));
  y = tkl::silu(tkl::conv2d(y, g.weight("d", {9, 1, 3, 3}), {.pad = 1, .groups = 9}));
  const value rows = tkl::softmax(tkl::linear(tkl::reshape(y, {1, 35, 9}), g.weight("l", {7, 9})));
  g.output(rows * 2.0 + tkl::reduce_max(rows, {1}));
  constexpr double slack = 36 * 0x1p-11 / 2e-4;
  using target = tkl::half_storage<tkl_test::device_target>;
  CHECK(tkl_test::check_device_graph<tkl_test::default_schedule, target>(g, slack) == "");
}

}  // namespace
