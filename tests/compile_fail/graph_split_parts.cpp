// expect: split #1 after 'x': axis 2 has 100 elements, not a multiple of parts 3
// SPDX-License-Identifier: Apache-2.0
// Splitting into parts of unequal size.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto [q, k, v] = tkl::split<3>(g.input("x", tkl::f32, {1, 4, 100}), -1);
    return tkl::attention(q, k, v);
  }
};
static_assert(tkl::checked_model<model>::sound);
