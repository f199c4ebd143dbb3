// expect: add #1 after 'x': operand 1 belongs to another graph than operand 0
// SPDX-License-Identifier: Apache-2.0
// Values of two graphs in one operation.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    tkl::graph other;
    return g.input("x", tkl::f32, {4}) + other.input("y", tkl::f32, {4});
  }
};
static_assert(tkl::checked_model<model>::sound);
