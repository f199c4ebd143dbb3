// expect: conv_transpose2d 'up': input has shape 1x3136x64 with 3 axes, needs 4: batch, row, column, channel
// SPDX-License-Identifier: Apache-2.0
// A transposed convolution of a sequence.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 3136, 64});
    const auto w = g.weight("up", {64, 32, 2, 2});
    return tkl::conv_transpose2d(x, w);
  }
};
static_assert(tkl::checked_model<model>::sound);
