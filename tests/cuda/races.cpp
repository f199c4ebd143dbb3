// SPDX-License-Identifier: Apache-2.0
// Kernels that share memory or registers between threads, for the thread sanitizer: each thread of a block is a thread
// to it, ordered by barriers and operations of its warp alone.
#include "support/cuda_compare.hpp"

namespace {

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 5, 7, 36});
    g.output(tkl::silu(tkl::conv2d(x, g.weight("w", {70, 36, 3, 3}), {.pad = 1})));
    g.output(tkl::softmax(x));
    g.output(tkl::reduce_sum(x, {1, 3}));
  }
};

TEST_CASE("no races") {
  tkl_test::check_device<model, tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::split>>();
}

}  // namespace
