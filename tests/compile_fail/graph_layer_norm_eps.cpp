// expect: layer_norm #1 after 'image': eps is -1e-05, must be at least 0
// SPDX-License-Identifier: Apache-2.0
// A negative eps.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::layer_norm(x, {.eps = -1e-5});
  }
};
static_assert(tkl::checked_model<model>::sound);
