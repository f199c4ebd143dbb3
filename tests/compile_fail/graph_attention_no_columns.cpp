// expect: attention #3 after 'q': q has 0 columns
// SPDX-License-Identifier: Apache-2.0
// Queries and keys without columns.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 0}), k = g.input("k", tkl::f32, {1, 6, 0}),
               v = g.input("v", tkl::f32, {1, 6, 8});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
