// expect: conv2d 'conv': method winograd2 needs dilation 1x1, it is 1x2
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm for a dilated convolution.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.dilation = {1, 2}, .method = tkl::conv_method::winograd2});
  }
};
static_assert(tkl::checked_model<model>::sound);
