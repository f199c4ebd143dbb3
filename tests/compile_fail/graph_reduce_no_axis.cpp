// expect: reduce_sum #1 after 'x': no axis is given
// SPDX-License-Identifier: Apache-2.0
// A reduction over no axis.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::reduce_sum(g.input("x", tkl::f32, {4, 8}), {}); }
};
static_assert(tkl::checked_model<model>::sound);
