// expect: resize #1 after 'image': both scale 2x2 and extent 112x112 are given
// SPDX-License-Identifier: Apache-2.0
// Resizing by a factor and to an extent at once.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::resize(x, {.scale = 2, .extent = 112});
  }
};
static_assert(tkl::checked_model<model>::sound);
