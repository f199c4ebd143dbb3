// expect: conv2d 'conv': groups is 0, must be at least 1 and at most 2147483647
// SPDX-License-Identifier: Apache-2.0
// No groups.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.groups = 0});
  }
};
static_assert(tkl::checked_model<model>::sound);
