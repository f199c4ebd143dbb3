// expect: average_pool2d #1 after 'image': kernel is not given
// SPDX-License-Identifier: Apache-2.0
// Pooling without a kernel.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::average_pool2d(x, {.stride = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
