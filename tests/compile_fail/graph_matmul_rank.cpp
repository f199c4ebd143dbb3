// expect: matmul #2 after 'x': first operand has shape 8, needs at least 2 axes
// SPDX-License-Identifier: Apache-2.0
// The product of a vector and a matrix.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {8}), y = g.input("y", tkl::f32, {8, 4});
    return tkl::matmul(x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
