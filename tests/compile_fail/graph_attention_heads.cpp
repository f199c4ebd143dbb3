// expect: attention #1 after 'x': q has 120 columns, not a multiple of heads 7
// SPDX-License-Identifier: Apache-2.0
// Heads that do not divide the columns.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 40, 120});
    return tkl::attention(x, x, x, {.heads = 7});
  }
};
static_assert(tkl::checked_model<model>::sound);
