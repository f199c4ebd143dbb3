// expect: conv2d 'conv': method is winograd2, this target runs convolutions directly
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm asked for by a node and forbidden by the target.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.pad = 1, .method = tkl::conv_method::winograd2});
  }
};
constexpr int steps = tkl::compile<model, tkl::exact<tkl::cpu<>>>::steps;
