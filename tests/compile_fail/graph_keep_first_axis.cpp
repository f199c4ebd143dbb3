// expect: keep_first #2 after 'x': axis 2 is out of range for shape 4x8 with 2 axes
// SPDX-License-Identifier: Apache-2.0
// Keeping the first along an axis that the input does not have.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 8}), y = g.input("y", tkl::i32, {1});
    return tkl::keep_first(x, y, 2);
  }
};
static_assert(tkl::checked_model<model>::sound);
