// expect: weight 'w': extents \?x3 are not static or their product leaves 64 bits
// SPDX-License-Identifier: Apache-2.0
// A weight without a known number of rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return g.input("x", tkl::f32, {4, 3}) * g.weight("w", {tkl::dyn, 3});
  }
};
static_assert(tkl::checked_model<model>::sound);
