// expect: an element-wise function of graph values takes graph values and numbers
// errors: 6
// SPDX-License-Identifier: Apache-2.0
// An argument that is neither a graph value nor a number.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::add(g.input("x", tkl::f32, {4}), "y"); }
};
static_assert(tkl::checked_model<model>::sound);
