// expect: reshape #1 after 'x': the extent -1 of 0x\? cannot follow: another extent is 0
// SPDX-License-Identifier: Apache-2.0
// An open extent beside one of 0.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reshape(g.input("x", tkl::f32, {4, 0}), {0, -1}); }
};
static_assert(tkl::checked_model<model>::sound);
