// expect: conv_transpose2d 'up': axis 1 \(rows\): the input has 0 elements, a transposed convolution needs 1
// SPDX-License-Identifier: Apache-2.0
// A transposed convolution of a picture without rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 0, 2, 4});
    const auto w = g.weight("up", {4, 2, 2, 2});
    return tkl::conv_transpose2d(x, w);
  }
};
static_assert(tkl::checked_model<model>::sound);
