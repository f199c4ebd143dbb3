// expect: slice #1 after 'x': axis 1: step is 0, from 0 to 4
// SPDX-License-Identifier: Apache-2.0
// A slice with step 0.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::slice(g.input("x", tkl::f32, {1, 8}), 1, 0, 4, 0); }
};
static_assert(tkl::checked_model<model>::sound);
