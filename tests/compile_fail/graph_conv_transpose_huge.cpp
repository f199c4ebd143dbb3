// expect: conv_transpose2d 'up': axis 1 \(rows\): input 9223372036854775807 with stride 2 leaves 64 bits
// SPDX-License-Identifier: Apache-2.0
// A transposed convolution whose result exceeds 64 bits.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 9223372036854775807, 1, 1});
    const auto w = g.weight("up", {1, 1, 1, 1});
    return tkl::conv_transpose2d(x, w, {.stride = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
