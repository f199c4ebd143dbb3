// expect: resize #1 after 'x': neither scale nor extent is given
// SPDX-License-Identifier: Apache-2.0
// Resizing to no size.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::resize(g.input("x", tkl::f32, {1, 8, 8, 3}), {}); }
};
static_assert(tkl::checked_model<model>::sound);
