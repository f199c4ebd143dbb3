// expect: resize #1 after 'x': axis 1 \(rows\): the input has 0 elements, resize needs 1
// SPDX-License-Identifier: Apache-2.0
// Resizing a picture without rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::resize(g.input("x", tkl::f32, {1, 0, 8, 3}), {.scale = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
