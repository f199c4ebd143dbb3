// expect: softmax #1 after 'x': input is a scalar, needs at least 1 axis
// SPDX-License-Identifier: Apache-2.0
// Softmax of one number.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::softmax(g.input("x", tkl::f32, {})); }
};
static_assert(tkl::checked_model<model>::sound);
