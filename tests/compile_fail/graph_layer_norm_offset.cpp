// expect: layer_norm 'ln\.scale': offset has shape 8x1 with 2 axes, needs 1 axis of 8 columns of the input
// SPDX-License-Identifier: Apache-2.0
// An offset with two axes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8});
    const auto scale = g.weight("ln.scale", {8}), offset = g.weight("ln.offset", {8, 1});
    return tkl::layer_norm(x, scale, offset);
  }
};
static_assert(tkl::checked_model<model>::sound);
