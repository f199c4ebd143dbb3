// expect: conv2d 'conv': axis 2 \(columns\): stride is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// A stride of zero.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("conv", {64, 64, 3, 3}), {.stride = {1, 0}});
  }
};
static_assert(tkl::checked_model<model>::sound);
