// expect: keep_first #2 after 'x': count is f32, needs i32
// SPDX-License-Identifier: Apache-2.0
// A count that is not an integer.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 48, 320, 3});
    return tkl::keep_first(x, g.input("width", tkl::f32, {1}), 2);
  }
};
static_assert(tkl::checked_model<model>::sound);
