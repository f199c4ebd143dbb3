// expect: matmul #2 after 'x': second operand has shape 8, needs at least 2 axes
// SPDX-License-Identifier: Apache-2.0
// The product of a matrix and a vector.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::f32, {8});
    return tkl::matmul(x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
