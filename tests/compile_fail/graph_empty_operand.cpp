// expect: add #1 after 'x': operand 1 is an empty value
// SPDX-License-Identifier: Apache-2.0
// A value that was never made.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return g.input("x", tkl::f32, {4}) + tkl::value{}; }
};
static_assert(tkl::checked_model<model>::sound);
