// expect: conv_transpose2d 'up': input has 6 channels, not a multiple of groups 4
// SPDX-License-Identifier: Apache-2.0
// Groups that do not divide the channels of a transposed convolution.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 8, 8, 6});
    const auto w = g.weight("up", {6, 2, 2, 2});
    return tkl::conv_transpose2d(x, w, {.groups = 4});
  }
};
static_assert(tkl::checked_model<model>::sound);
