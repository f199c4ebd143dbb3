// expect: reshape #1 after 'x': axes 0 and 1 are both -1, only one may be
// SPDX-License-Identifier: Apache-2.0
// Two extents left open.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reshape(g.input("x", tkl::f32, {4, 8}), {-1, -1}); }
};
static_assert(tkl::checked_model<model>::sound);
