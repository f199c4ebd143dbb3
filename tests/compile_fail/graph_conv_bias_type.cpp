// expect: conv2d 'conv': input is f32, bias is f16: cast one of them
// SPDX-License-Identifier: Apache-2.0
// A bias of another type than the input.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {128, 64, 3, 3});
    return tkl::conv2d(x, w, g.weight("bias", {128}, tkl::f16));
  }
};
static_assert(tkl::checked_model<model>::sound);
