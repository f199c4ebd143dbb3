// expect: conv2d 'layer1\.0\.conv1': input has 64 channels, weight expects 32
// SPDX-License-Identifier: Apache-2.0
// A convolution whose weight expects other channels than the input has.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("layer1.0.conv1", {64, 32, 3, 3}), {.pad = 1});
  }
};
static_assert(tkl::checked_model<model>::sound);
