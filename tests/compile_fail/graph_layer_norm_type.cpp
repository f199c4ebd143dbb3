// expect: layer_norm #1 after 'x': input is i8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::layer_norm(g.input("x", tkl::i8, {4, 8})); }
};
static_assert(tkl::checked_model<model>::sound);
