// expect: matmul #2 after 'x': leading axes of 2x4x8 and 3x8x5 do not broadcast
// SPDX-License-Identifier: Apache-2.0
// A product of matrices in different batches.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {2, 4, 8}), y = g.input("y", tkl::f32, {3, 8, 5});
    return tkl::matmul(x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
