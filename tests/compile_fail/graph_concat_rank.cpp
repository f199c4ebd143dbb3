// expect: concat #2 after 'x': operand 1 has shape 8 with 1 axes, operand 0 has 2
// SPDX-License-Identifier: Apache-2.0
// Joining tensors with different numbers of axes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::f32, {8});
    return tkl::concat(0, x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
