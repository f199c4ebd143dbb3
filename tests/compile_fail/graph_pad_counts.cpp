// expect: pad #1 after 'x': before has 1 and after 2 numbers, the input has 2 axes
// SPDX-License-Identifier: Apache-2.0
// A border without a number for every axis.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::pad(g.input("x", tkl::f32, {1, 8}), {1}, {0, 0}); }
};
static_assert(tkl::checked_model<model>::sound);
