// expect: conv2d 'conv': axis 1 \(rows\): automatic padding 2147483648 is too large
// SPDX-License-Identifier: Apache-2.0
// A dilation whose automatic padding exceeds 31 bits.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.pad = tkl::same, .dilation = 1073741824});
  }
};
static_assert(tkl::checked_model<model>::sound);
