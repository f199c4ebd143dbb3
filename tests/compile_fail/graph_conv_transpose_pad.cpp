// expect: conv_transpose2d 'up': axis 1 \(rows\): pads 2 and 2 leave -1 of an extent of 3
// SPDX-License-Identifier: Apache-2.0
// Padding that cuts off the whole result of a transposed convolution.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 2, 2, 4});
    const auto w = g.weight("up", {4, 2, 2, 2});
    return tkl::conv_transpose2d(x, w, {.pad = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
