// expect: attention #3 after 'q': k has 6 rows, v has 4
// SPDX-License-Identifier: Apache-2.0
// More keys than values.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 8}),
               v = g.input("v", tkl::f32, {1, 4, 8});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
