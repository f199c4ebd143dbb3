// expect: pad #1 after 'x': the value is 256\.5, u8 holds whole numbers from 0 to 255
// SPDX-License-Identifier: Apache-2.0
// A border of a number that the type does not hold.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::pad(g.input("x", tkl::u8, {1, 8}), {0, 1}, {0, 1}, 256.5);
  }
};
static_assert(tkl::checked_model<model>::sound);
