// expect: conv_transpose2d 'up': weight's 9223372036854775807 output channels per group times groups 2 leave 64 bits
// SPDX-License-Identifier: Apache-2.0
// A transposed convolution with more channels than 64 bits count.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 1, 1, 0});
    const auto w = g.weight("up", {0, 9223372036854775807, 1, 1});
    return tkl::conv_transpose2d(x, w, {.groups = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
