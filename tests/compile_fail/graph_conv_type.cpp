// expect: conv2d 'conv': input is u8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// A convolution of bytes.
// Conversions are written: tkl::cast(x, tkl::f32).
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::u8, {1, 8, 8, 3});
    return tkl::conv2d(x, g.weight("conv", {4, 3, 3, 3}));
  }
};
static_assert(tkl::checked_model<model>::sound);
