// expect: attention #3 after 'q': heads is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// No heads.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 8}),
               v = g.input("v", tkl::f32, {1, 6, 8});
    return tkl::attention(q, k, v, {.heads = 0});
  }
};
static_assert(tkl::checked_model<model>::sound);
