// expect: resize #1 after 'x': input has shape 8x8 with 2 axes, needs 4: batch, row, column, channel
// SPDX-License-Identifier: Apache-2.0
// Resizing a matrix.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::resize(g.input("x", tkl::f32, {8, 8}), {.scale = 2}); }
};
static_assert(tkl::checked_model<model>::sound);
