// expect: layer_norm 'ln\.scale': scale has 4 elements, needs 8 columns of the input
// SPDX-License-Identifier: Apache-2.0
// A scale with fewer elements than the input has columns.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8});
    const auto scale = g.weight("ln.scale", {4}), offset = g.weight("ln.offset", {8});
    return tkl::layer_norm(x, scale, offset);
  }
};
static_assert(tkl::checked_model<model>::sound);
