// expect: concat #2 after 'x': axis 0: 1 of operand 1 after 9223372036854775807 leave 64 bits
// SPDX-License-Identifier: Apache-2.0
// Joining tensors whose extents sum to more than 64 bits hold.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {9223372036854775807}), y = g.input("y", tkl::f32, {1});
    return tkl::concat(0, x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
