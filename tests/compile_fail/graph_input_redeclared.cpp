// expect: input 'image': declared with shape 1x56x56x64 and again with shape 1x28x28x64; each input needs its own name
// SPDX-License-Identifier: Apache-2.0
// Two inputs of one name.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::max_pool2d(x, {.kernel = 2}) + g.input("image", tkl::f32, {1, 28, 28, 64});
  }
};
static_assert(tkl::checked_model<model>::sound);
