// SPDX-License-Identifier: Apache-2.0
// Kernels that share memory or registers between threads, for the thread sanitizer: each thread of a block is a thread
// to it, ordered by barriers and operations of its warp alone.
#include "support/cuda_tile_run.hpp"

namespace {

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 5, 7, 36});
    g.output(tkl::silu(tkl::conv2d(x, g.weight("w", {70, 36, 3, 3}), {.pad = 1})));
    g.output(tkl::softmax(x));
    g.output(tkl::reduce_sum(x, {1, 3}));
  }
};

/// A depth that goes around a ring more than once, and is cut into parts.
struct warpgroups {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {1, 9, 8, 1032}), tkl::f16);
    g.output(tkl::cast(tkl::conv2d(x, g.weight("w", {40, 1032, 1, 1}, tkl::f16)), tkl::f32));
  }
};

TEST_CASE("no races") {
  tkl_test::check_device<model, tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::split>>();
}
TEST_CASE("no races between warpgroups and copies") {
  using target = tkl::cuda<tkl::arch::sm_90a, tkl::cuda_product::rounded>;
  static_assert(tkl::compile<warpgroups, target>::tile_counts.cut == 1);
  CHECK(tkl_test::compare_tiles<warpgroups, target>().error == "");
}

}  // namespace
