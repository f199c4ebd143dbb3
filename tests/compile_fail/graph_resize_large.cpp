// expect: resize #1 after 'x': axis 1 \(rows\): input 8 times scale 1000000000 is beyond 2147483647
// SPDX-License-Identifier: Apache-2.0
// A scale whose result exceeds 31 bits.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::resize(g.input("x", tkl::f32, {1, 8, 8, 3}), {.scale = 1e9});
  }
};
static_assert(tkl::checked_model<model>::sound);
