// expect: layer_norm #1 after 'x': the last axis of shape 4x0 has 0 elements: its mean is undefined
// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows without elements.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::layer_norm(g.input("x", tkl::f32, {4, 0})); }
};
static_assert(tkl::checked_model<model>::sound);
