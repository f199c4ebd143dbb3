// expect: global_average_pool #1 after 'x': input has shape 4x8 with 2 axes, needs 4: batch, row, column, channel
// SPDX-License-Identifier: Apache-2.0
// Global pooling of a matrix.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::global_average_pool(g.input("x", tkl::f32, {4, 8})); }
};
static_assert(tkl::checked_model<model>::sound);
