// SPDX-License-Identifier: Apache-2.0
// Kernels that compute in half precision, compiled for the host: which they are, and how far each step is from the
// reference machine's result; random graphs of them. TKL_DEVICE_SEEDS sets the number of graphs: every new kernel costs
// the host's compiler a moment.
// tkl-test: libs=dl
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/half_oracle.hpp"
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

/// Each element of each step within its bound; and the results of the graph within 2^-8, the bound of a block of eight
/// products, of their largest element for each step in half precision: random graphs hardly enlarge an error.
TEST_CASE("random graphs: each element within what its sums and operations may round, results within their depth") {
  const char* wanted = std::getenv("TKL_DEVICE_SEEDS");
  const int graphs = wanted != nullptr ? std::atoi(wanted) : 8;
  int maps = 0, contractions = 0;
  double share = 0, whole = 0;
  std::uint32_t seed = 0;
  for (int run_graphs = 0; run_graphs < graphs; ++run_graphs) {
    graph g;
    do {
      g = {};
      tkl_test::random_graph_builder(g, ++seed).build();
    } while (kernels_in_half(g, [](const tkl::kernel_key& k) { return computes_in_half(k, target::precision); }) < 3);
    CAPTURE(seed);
    const tkl_test::graph_inputs inputs(g);
    tkl_test::half_watcher<target> watcher{g, inputs};
    const tkl_test::device_run run = tkl_test::run_on_device(g, inputs.pointers, watcher);
    REQUIRE(run.refused + run.error == "");
    const tkl_test::half_oracle& oracle = *watcher.oracle;
    CHECK(oracle.error == "");
    CHECK(oracle.unbounded == 0);
    const int depth = oracle.maps + oracle.contractions;
    maps += oracle.maps, contractions += oracle.contractions;
    share = std::fmax(share, oracle.share);
    const std::vector<std::vector<double>> expected = tkl_test::run_unoptimised(g, inputs);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      CHECK(tkl_test::compare(expected[o], run.outputs[o], depth * 0x1p-8) == "");
      whole = std::fmax(whole, tkl_test::largest_difference(expected[o], run.outputs[o]) / depth);
    }
  }
  CHECK(maps > 0);
  CHECK(contractions > 0);
  MESSAGE(graphs, " graphs with ", maps, " element-wise steps and ", contractions, " contractions: at most ", share,
          " times their bounds, results at most ", whole * 256, " times theirs");
}

}  // namespace
