// expect: pad #1 after 'x': axis 1: pads -1 and 0 must not be negative \(slice cuts\)
// SPDX-License-Identifier: Apache-2.0
// A negative border.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::pad(g.input("x", tkl::f32, {1, 8}), {0, -1}, {0, 0}); }
};
static_assert(tkl::checked_model<model>::sound);
