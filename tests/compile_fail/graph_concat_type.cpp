// expect: concat #2 after 'x': operand 0 is f32, operand 1 is u8: cast one of them
// SPDX-License-Identifier: Apache-2.0
// Joining tensors of different types.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::u8, {4, 8});
    return tkl::concat(0, x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
