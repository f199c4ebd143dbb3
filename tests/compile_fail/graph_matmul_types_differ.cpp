// expect: matmul #2 after 'x': first operand is f32, second operand is bf16: cast one of them
// SPDX-License-Identifier: Apache-2.0
// A product of matrices of different types.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::bf16, {8, 5});
    return tkl::matmul(x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
