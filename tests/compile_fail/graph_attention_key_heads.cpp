// expect: attention #3 after 'q': heads is 8, not a multiple of key_heads 3
// SPDX-License-Identifier: Apache-2.0
// Query heads that cannot share the heads of keys evenly.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 40, 96}), k = g.input("k", tkl::f32, {1, 40, 36});
    return tkl::attention(q, k, g.input("v", tkl::f32, {1, 40, 36}), {.heads = 8, .key_heads = 3});
  }
};
static_assert(tkl::checked_model<model>::sound);
