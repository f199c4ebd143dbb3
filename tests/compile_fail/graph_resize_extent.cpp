// expect: resize #1 after 'x': axis 2 \(columns\): extent is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// Resizing to no columns.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::resize(g.input("x", tkl::f32, {1, 8, 8, 3}), {.extent = {8, 0}});
  }
};
static_assert(tkl::checked_model<model>::sound);
