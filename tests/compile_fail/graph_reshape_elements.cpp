// expect: reshape #1 after 'x': input 1x6x8x4 has 192 elements, the new shape 1x200 has 200
// SPDX-License-Identifier: Apache-2.0
// A reshape that changes the number of elements.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::reshape(g.input("x", tkl::f32, {1, 6, 8, 4}), {1, 200});
  }
};
static_assert(tkl::checked_model<model>::sound);
