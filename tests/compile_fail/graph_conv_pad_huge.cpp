// expect: conv2d 'conv': axis 1 \(rows\): pad before is 36028797018963968, must be at most 2147483647
// SPDX-License-Identifier: Apache-2.0
// Padding beyond any memory.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("conv", {64, 64, 1, 1}), {.pad = std::int64_t{1} << 55});
  }
};
static_assert(tkl::checked_model<model>::sound);
