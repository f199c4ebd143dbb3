// expect: conv2d 'conv': bias has shape 1x128x1x1 with 4 axes, needs 1 axis of 128 output channels
// SPDX-License-Identifier: Apache-2.0
// A bias with four axes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {128, 64, 3, 3});
    return tkl::conv2d(x, w, g.weight("bias", {1, 128, 1, 1}));
  }
};
static_assert(tkl::checked_model<model>::sound);
