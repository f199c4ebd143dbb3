// expect: transpose #1 after 'x': axis 2 stands in the permutation twice
// SPDX-License-Identifier: Apache-2.0
// A permutation that names an axis twice.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::transpose(g.input("x", tkl::f32, {1, 8, 4}), {0, 2, 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
