// expect: attention #3 after 'q': q has 8 columns, k has 16
// SPDX-License-Identifier: Apache-2.0
// Queries and keys of different widths.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 16}),
               v = g.input("v", tkl::f32, {1, 6, 16});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
