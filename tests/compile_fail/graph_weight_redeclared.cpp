// expect: weight 'shared': declared as f32 64x64x1x1 and again as f32 32x64x1x1
// SPDX-License-Identifier: Apache-2.0
// One weight name with two shapes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(tkl::conv2d(x, g.weight("shared", {64, 64, 1, 1})), g.weight("shared", {32, 64, 1, 1}));
  }
};
static_assert(tkl::checked_model<model>::sound);
