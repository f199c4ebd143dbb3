// expect: matmul #2 after 'a': inner extents differ: first operand 4x8 has 8, second operand 4x8 has 4
// SPDX-License-Identifier: Apache-2.0
// A matrix product whose inner extents differ.
// With {.transpose_b = true} the second operand is taken as its transpose.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {4, 8});
    const auto b = g.input("b", tkl::f32, {4, 8});
    return tkl::matmul(a, b);
  }
};
static_assert(tkl::checked_model<model>::sound);
