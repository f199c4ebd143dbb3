// expect: conv2d 'conv': input has 64 channels in 2 groups of 32, weight expects 64
// SPDX-License-Identifier: Apache-2.0
// A grouped convolution with the weight of an ungrouped one.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.groups = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
