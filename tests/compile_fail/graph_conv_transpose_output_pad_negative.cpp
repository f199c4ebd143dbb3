// expect: conv_transpose2d 'up': axis 2 \(columns\): output_pad is -1, must be at least 0
// SPDX-License-Identifier: Apache-2.0
// A negative output padding.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 2, 2, 4});
    const auto w = g.weight("up", {4, 2, 2, 2});
    return tkl::conv_transpose2d(x, w, {.stride = 2, .output_pad = {0, -1}});
  }
};
static_assert(tkl::checked_model<model>::sound);
