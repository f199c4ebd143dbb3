// expect: transpose #1 after 'x': the permutation has 3 axes, the input has 2 \(4x8\)
// SPDX-License-Identifier: Apache-2.0
// A permutation of more axes than the input has.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::transpose(g.input("x", tkl::f32, {4, 8}), {0, 2, 1}); }
};
static_assert(tkl::checked_model<model>::sound);
