// expect: attention #3 after 'q': q is u8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// Attention of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::u8, {1, 4, 8}), k = g.input("k", tkl::u8, {1, 6, 8}),
               v = g.input("v", tkl::u8, {1, 6, 8});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
