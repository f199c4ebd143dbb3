// expect: conv2d 'conv': axis 1 \(rows\): kernel is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// A kernel without rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 0, 3});
    return tkl::conv2d(x, w);
  }
};
static_assert(tkl::checked_model<model>::sound);
