// expect: conv_transpose2d 'up': axis 1 \(rows\): same_lower needs a kernel that covers the stride: 2 against 3
// SPDX-License-Identifier: Apache-2.0
// Automatic padding at the beginning where the kernel leaves gaps.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 2, 2, 4});
    const auto w = g.weight("up", {4, 2, 2, 2});
    return tkl::conv_transpose2d(x, w, {.stride = 3, .pad = tkl::same_lower});
  }
};
static_assert(tkl::checked_model<model>::sound);
