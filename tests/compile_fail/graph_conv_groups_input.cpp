// expect: conv2d 'conv': input has 6 channels, not a multiple of groups 4
// SPDX-License-Identifier: Apache-2.0
// Groups that do not divide the input's channels.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 6});
    return tkl::conv2d(x, g.weight("conv", {8, 1, 1, 1}), {.groups = 4});
  }
};
static_assert(tkl::checked_model<model>::sound);
