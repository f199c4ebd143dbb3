// expect: attention #3 after 'q': batch of q is 1, of k 2, of v 2
// SPDX-License-Identifier: Apache-2.0
// Queries of another batch than keys and values.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {2, 6, 8}),
               v = g.input("v", tkl::f32, {2, 6, 8});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
