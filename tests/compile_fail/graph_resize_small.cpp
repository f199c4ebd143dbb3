// expect: resize #1 after 'x': axis 1 \(rows\): input 8 times scale 0\.1 is below 1: the result would be empty
// SPDX-License-Identifier: Apache-2.0
// A scale whose result has no rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::resize(g.input("x", tkl::f32, {1, 8, 8, 3}), {.scale = 0.1});
  }
};
static_assert(tkl::checked_model<model>::sound);
