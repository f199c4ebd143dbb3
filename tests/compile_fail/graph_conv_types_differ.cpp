// expect: conv2d 'conv': input is f16, weight is f32: cast one of them
// SPDX-License-Identifier: Apache-2.0
// A convolution with a weight of another type than the input.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f16, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w);
  }
};
static_assert(tkl::checked_model<model>::sound);
