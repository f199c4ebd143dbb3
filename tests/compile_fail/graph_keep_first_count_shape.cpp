// expect: keep_first #2 after 'x': count has shape 2, needs 1 element
// SPDX-License-Identifier: Apache-2.0
// One count per row.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {2, 8}), y = g.input("y", tkl::i32, {2});
    return tkl::keep_first(x, y, 1);
  }
};
static_assert(tkl::checked_model<model>::sound);
