// expect: conv_transpose2d 'up': input has 64 channels, weight expects 32
// SPDX-License-Identifier: Apache-2.0
// A transposed convolution whose weight is stored out x in.
// Weights of transposed convolutions are in x out / groups x rows x columns, as frameworks write them.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv_transpose2d(x, g.weight("up", {32, 64, 2, 2}), {.stride = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
