// expect: concat #1 after 'x': 9 operands, at most 8 are possible
// SPDX-License-Identifier: Apache-2.0
// Joining nine tensors at once.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8});
    return tkl::concat(0, x, x, x, x, x, x, x, x, x);
  }
};
static_assert(tkl::checked_model<model>::sound);
