// expect: concat #2 after 'x': axis 2 is out of range for shape 4x8 with 2 axes
// SPDX-License-Identifier: Apache-2.0
// Joining along an axis that the operands do not have.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::f32, {4, 8});
    return tkl::concat(2, x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
