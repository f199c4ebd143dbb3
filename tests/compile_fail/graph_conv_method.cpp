// expect: conv2d 'conv': method winograd4 needs stride 1x1, it is 2x2
// SPDX-License-Identifier: Apache-2.0
// A convolution that Winograd's algorithm does not compute.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.stride = 2, .method = tkl::conv_method::winograd4});
  }
};
static_assert(tkl::checked_model<model>::sound);
