// expect: pad #1 after 'x': axis 1: extent 8 with pads 9223372036854775807 and 0 leaves 64 bits
// SPDX-License-Identifier: Apache-2.0
// A border that exceeds 64 bits.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::pad(g.input("x", tkl::f32, {1, 8}), {0, 9223372036854775807}, {0, 0});
  }
};
static_assert(tkl::checked_model<model>::sound);
