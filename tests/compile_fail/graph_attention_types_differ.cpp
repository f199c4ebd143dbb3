// expect: attention #3 after 'q': q is f32, v is f16: cast one of them
// SPDX-License-Identifier: Apache-2.0
// Values of another type than queries.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 8}),
               v = g.input("v", tkl::f16, {1, 6, 8});
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
