// expect: concat #2 after 'a': axis 1: operand 1 has 28, operand 0 has 56 \(joined along axis 3\)
// SPDX-License-Identifier: Apache-2.0
// Joining tensors that differ along another axis.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {1, 56, 56, 64});
    const auto b = g.input("b", tkl::f32, {1, 28, 56, 64});
    return tkl::concat(-1, a, b);
  }
};
static_assert(tkl::checked_model<model>::sound);
