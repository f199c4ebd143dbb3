// expect: conv_transpose2d 'up': axis 1 \(rows\): output_pad is 2, must be below the larger of stride 2 and dilation 1
// SPDX-License-Identifier: Apache-2.0
// An output padding as large as the stride.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv_transpose2d(x, g.weight("up", {64, 32, 2, 2}), {.stride = 2, .output_pad = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
