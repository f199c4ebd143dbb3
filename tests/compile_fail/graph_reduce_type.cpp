// expect: argmax #1 after 'x': input is i32, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// A reduction of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::argmax(g.input("x", tkl::i32, {4, 8}), 1); }
};
static_assert(tkl::checked_model<model>::sound);
