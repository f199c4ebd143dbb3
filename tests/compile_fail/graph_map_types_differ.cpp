// expect: mul #2 after 'a': operand 0 is f32, operand 1 is f16: cast one of them
// SPDX-License-Identifier: Apache-2.0
// Two floating types in one operation.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return g.input("a", tkl::f32, {4}) * g.input("b", tkl::f16, {4}); }
};
static_assert(tkl::checked_model<model>::sound);
