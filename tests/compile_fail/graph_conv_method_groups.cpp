// expect: conv2d 'conv': method winograd4 needs groups 1, groups is 2
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm for a grouped convolution.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 32, 3, 3});
    return tkl::conv2d(x, w, {.groups = 2, .method = tkl::conv_method::winograd4});
  }
};
static_assert(tkl::checked_model<model>::sound);
