// expect: conv2d 'conv': method is winograd2, which is for f32, the input is f16
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm for half precision.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f16, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3}, tkl::f16);
    return tkl::conv2d(x, w, {.pad = 1, .method = tkl::conv_method::winograd2});
  }
};
constexpr int steps = tkl::compile<model, tkl::cpu<>>::steps;
