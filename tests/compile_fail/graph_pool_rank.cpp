// expect: max_pool2d #1 after 'x': input has shape 56x56 with 2 axes, needs 4: batch, row, column, channel
// SPDX-License-Identifier: Apache-2.0
// Pooling of a matrix.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::max_pool2d(g.input("x", tkl::f32, {56, 56}), {.kernel = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
