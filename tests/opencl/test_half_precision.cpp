// SPDX-License-Identifier: Apache-2.0
// Kernels that compute in half precision, compiled for the host: which they are, and how far each step is from the
// reference machine's result.
// tkl-test: libs=dl
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/opencl_native.hpp"

namespace {

using tkl::graph;
using tkl::value;
using target = tkl_test::device_target;
using storage = tkl::half_storage<tkl::opencl<tkl::arch::mali_g52>>;

/// Kernels of a graph's plan that compute in half precision.
int kernels_in_half(const graph& g, bool (*computes)(const tkl::kernel_key&)) {
  int n = 0;
  const tkl_test::planned_graph<target> planned(g);
  for (const tkl::kernel_key& k : planned.program.keys) n += computes(k);
  return n;
}

TEST_CASE("products of a contraction: eight of them are summed in half precision") {
  double most = 0;
  for (const std::int64_t channels : {9, 12, 13, 24, 64})
    for (const std::int64_t kernel : {1, 3}) {
      CAPTURE(channels);
      CAPTURE(kernel);
      graph g;
      // No term is negative: the bound is relative to the result.
      const value x = tkl::abs(g.input("x", tkl::f32, {1, 5, 6, channels}));
      const value w = tkl::abs(g.weight("w", {10, channels, kernel, kernel}));
      g.output(tkl::conv2d(x, w, {.pad = kernel / 2}));
      CHECK(kernels_in_half(g, tkl::multiplies_in_half) == 1);
      double worst = 0, stored = 0;
      CHECK(tkl_test::check_steps<target>(g, 0x1p-8 + 1e-6, &worst) == "");
      CHECK(tkl_test::check_steps<storage>(g, 2e-6, &stored) == "");
      CHECK(worst > 10 * stored);
      most = std::fmax(most, worst);
    }
  MESSAGE("largest error beyond the rounding of the result: ", most * 256, " times 2^-8");
}

TEST_CASE("groups, dilation, transposed convolutions, products with packed weights") {
  graph g;
  const value x = tkl::relu(g.input("x", tkl::f32, {2, 6, 7, 16}));
  const value y = tkl::conv2d(x, tkl::abs(g.weight("w", {12, 8, 3, 3})), g.weight("b", {12}),
                              {.stride = 2, .pad = 2, .dilation = 2, .groups = 2});
  g.output(tkl::relu6(y));
  g.output(tkl::conv_transpose2d(x, tkl::abs(g.weight("t", {16, 5, 2, 2})), {.stride = 2}));
  g.output(tkl::linear(tkl::reshape(x, {84, 16}), tkl::abs(g.weight("l", {9, 16}))) * 0.5);
  CHECK(kernels_in_half(g, tkl::multiplies_in_half) == 3);
  CHECK(tkl_test::check_steps<target>(g, 0x1p-8 + 1e-6) == "");
}

TEST_CASE("element-wise arithmetic: some roundings, other functions stay in f32") {
  for (const std::int64_t columns : {1, 4, 7, 16}) {
    CAPTURE(columns);
    graph g;
    const value x = tkl::relu(g.input("x", tkl::f32, {3, 5, columns})) * 2.0,
                y = tkl::relu(g.input("y", tkl::f32, {3, 5, columns}));
    const value read_twice = tkl::softmax(x) + tkl::softmax(y);
    const value a = tkl::hard_swish(x + y * g.weight("scale", {columns}));
    const value b = tkl::clip(tkl::leaky_relu(tkl::transpose(y, {1, 0, 2}) - 0.25, 0.1), -0.5, 0.75);
    g.output(tkl::softmax(a) + read_twice);
    g.output(tkl::softmax(b));
    g.output(tkl::softmax(tkl::max(a, y)));
    CHECK(kernels_in_half(g, tkl::maps_in_half) >= 1);
    // At most eight roundings of terms that are no larger than the largest element.
    CHECK(tkl_test::check_steps<target>(g, 8 * 0x1p-11) == "");
  }
}

}  // namespace
