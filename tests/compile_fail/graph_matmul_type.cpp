// expect: matmul #2 after 'x': first operand is i8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// A product of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::i8, {4, 8}), y = g.input("y", tkl::i8, {8, 5});
    return tkl::matmul(x, y);
  }
};
static_assert(tkl::checked_model<model>::sound);
