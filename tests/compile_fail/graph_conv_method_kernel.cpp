// expect: conv2d 'conv': method winograd2 needs kernel 3x3, it is 5x5
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm for a kernel that it does not compute.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 5, 5});
    return tkl::conv2d(x, w, {.method = tkl::conv_method::winograd2});
  }
};
static_assert(tkl::checked_model<model>::sound);
