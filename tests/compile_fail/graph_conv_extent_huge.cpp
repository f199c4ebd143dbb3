// expect: conv2d 'conv': axis 1 \(rows\): input 9223372036854775807 with padding 1 and 1 leaves 64 bits
// SPDX-License-Identifier: Apache-2.0
// An input that exceeds 64 bits with its padding.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 9223372036854775807, 1, 1});
    const auto w = g.weight("conv", {1, 1, 1, 1});
    return tkl::conv2d(x, w, {.pad = 1});
  }
};
static_assert(tkl::checked_model<model>::sound);
