// expect: reduce_mean #1 after 'x': axis 1 is given twice
// SPDX-License-Identifier: Apache-2.0
// An axis given twice, counted from either end.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reduce_mean(g.input("x", tkl::f32, {4, 8}), {1, -1}); }
};
static_assert(tkl::checked_model<model>::sound);
