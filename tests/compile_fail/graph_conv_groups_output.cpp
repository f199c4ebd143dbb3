// expect: conv2d 'conv': weight has 6 output channels, not a multiple of groups 4
// SPDX-License-Identifier: Apache-2.0
// Groups that do not divide the output's channels.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 4});
    return tkl::conv2d(x, g.weight("conv", {6, 1, 1, 1}), {.groups = 4});
  }
};
static_assert(tkl::checked_model<model>::sound);
