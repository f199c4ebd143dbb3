// expect: conv2d 'conv': axis 1 \(rows\): dilation is -1, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// A negative dilation.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("conv", {64, 64, 3, 3}), {.dilation = -1});
  }
};
static_assert(tkl::checked_model<model>::sound);
