// expect: matmul #2 after 'x': inner extents differ: first operand 4x8 \(transposed\) has 4, second operand 4x8 \(transposed\) has 8
// SPDX-License-Identifier: Apache-2.0
// A product of two matrices, both taken as transposed.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::f32, {4, 8});
    return tkl::matmul(x, y, {.transpose_a = true, .transpose_b = true});
  }
};
static_assert(tkl::checked_model<model>::sound);
