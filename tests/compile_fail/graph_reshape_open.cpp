// expect: reshape #1 after 'x': input 1x6x8x4 has 192 elements, not a multiple of 5 \(5x\?\)
// SPDX-License-Identifier: Apache-2.0
// A reshape whose open extent cannot follow.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::reshape(g.input("x", tkl::f32, {1, 6, 8, 4}), {5, -1});
  }
};
static_assert(tkl::checked_model<model>::sound);
