// expect: conv2d 'conv': axis 1 \(rows\): pad after is -2, must be at least 0
// SPDX-License-Identifier: Apache-2.0
// A negative padding.
// The four numbers are top, left, bottom, right.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("conv", {64, 64, 3, 3}), {.pad = {1, 1, -2, 1}});
  }
};
static_assert(tkl::checked_model<model>::sound);
