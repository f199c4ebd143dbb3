// expect: softmax #1 after 'x': input is u8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// Softmax of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::softmax(g.input("x", tkl::u8, {4, 8})); }
};
static_assert(tkl::checked_model<model>::sound);
