// expect: resize #1 after 'x': axis 2 \(columns\): scale is -0\.5, must be above 0
// SPDX-License-Identifier: Apache-2.0
// A negative scale.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::resize(g.input("x", tkl::f32, {1, 8, 8, 3}), {.scale = {1, -0.5}});
  }
};
static_assert(tkl::checked_model<model>::sound);
