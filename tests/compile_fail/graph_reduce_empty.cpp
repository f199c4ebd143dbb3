// expect: reduce_max #1 after 'x': axis 1 has 0 elements: only a sum may be taken over none
// SPDX-License-Identifier: Apache-2.0
// The largest of no elements.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reduce_max(g.input("x", tkl::f32, {4, 0}), 1); }
};
static_assert(tkl::checked_model<model>::sound);
