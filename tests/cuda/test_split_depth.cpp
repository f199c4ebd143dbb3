// SPDX-License-Identifier: Apache-2.0
// Contractions with few tiles and a deep sum: blocks share the depth, their sums are added in the order of the parts by
// a second kernel. Memory, launches, results; the same bits whichever block and thread comes first.
#include <string>

#include "support/cuda_tile_run.hpp"

namespace {

using tkl::cuda_product;

/// A product of one row, a convolution with taps and groups, and one with enough tiles and too shallow a depth.
struct deep {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 2000});
    g.output(tkl::sigmoid(tkl::linear(x, g.weight("linear", {70, 2000}), g.weight("b", {70}))));
    const auto y = g.input("y", tkl::f32, {2, 5, 7, 120});
    const auto z = tkl::conv2d(y, g.weight("taps", {24, 60, 3, 3}), g.weight("c", {24}), {.pad = 1, .groups = 2});
    g.output(tkl::relu(z) + g.input("residual", tkl::f32, z.shape()));
    g.output(tkl::conv2d(y, g.weight("shallow", {16, 120, 1, 1})));
  }
};
template <cuda_product P>
using net = tkl::compile<deep, tkl::cuda<tkl::arch::sm_80, P>>;

// 2000 = 62.5 slices of 32 numbers: 7 parts; 540 = 16.9: 2 parts of 70 places and 24 columns.
static_assert(net<cuda_product::rounded>::tile_counts.steps == 3 && net<cuda_product::rounded>::tile_counts.cut == 2);
static_assert(net<cuda_product::rounded>::tile_counts.partial_bytes == 4 * 2 * 70 * 24);
static_assert(net<cuda_product::f32>::tile_counts.steps == 0 && net<cuda_product::f32>::tile_counts.partial_bytes == 0);

TEST_CASE("parts are summed in their order") {
  const auto once = tkl_test::compare_tiles<deep, tkl::cuda<tkl::arch::sm_80, cuda_product::rounded>>();
  CHECK(once.error == "");
  CHECK(once.largest <= 2e-3);
  CHECK(once.launches == 5);
  const auto thrice = tkl_test::compare_tiles<deep, tkl::cuda<tkl::arch::sm_80, cuda_product::split>>();
  CHECK(thrice.error == "");
  CHECK(thrice.largest <= 4e-6);
  CHECK(thrice.launches == 5);
}

TEST_CASE("sums of parts lie behind a caller's outputs") {
  const tkl::device_plan plan = net<cuda_product::rounded>::plan();
  const std::int64_t partials = net<cuda_product::rounded>::tile_counts.partial_bytes;
  CHECK(tkl::cuda_caller_bytes(plan, partials) ==
        tkl::cuda_caller_bytes(plan, 0) + tkl::round_up(partials, tkl::cuda_alignment));
}

}  // namespace
