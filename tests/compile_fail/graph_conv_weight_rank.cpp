// expect: conv2d 'conv': weight has shape 64x64 with 2 axes, needs 4
// SPDX-License-Identifier: Apache-2.0
// A convolution with the weight of a fully connected layer.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64});
    return tkl::conv2d(x, w);
  }
};
static_assert(tkl::checked_model<model>::sound);
