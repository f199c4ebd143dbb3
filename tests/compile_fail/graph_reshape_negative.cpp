// expect: reshape #1 after 'x': axis 1 has extent -2, must be at least 0, or -1 for what is left
// SPDX-License-Identifier: Apache-2.0
// A negative extent.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reshape(g.input("x", tkl::f32, {4, 8}), {4, -2}); }
};
static_assert(tkl::checked_model<model>::sound);
