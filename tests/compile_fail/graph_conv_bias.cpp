// expect: conv2d 'conv': bias has 64 elements, needs 128 output channels
// SPDX-License-Identifier: Apache-2.0
// A bias of another length than the output's channels.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::conv2d(x, g.weight("conv", {128, 64, 1, 1}), g.weight("conv.bias", {64}));
  }
};
static_assert(tkl::checked_model<model>::sound);
