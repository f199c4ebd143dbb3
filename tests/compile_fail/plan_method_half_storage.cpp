// expect: conv2d 'conv': method is winograd4, half storage runs convolutions directly: it would round transformed weights
// SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm with half storage.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto w = g.weight("conv", {64, 64, 3, 3});
    return tkl::conv2d(x, w, {.pad = 1, .method = tkl::conv_method::winograd4});
  }
};
constexpr int steps = tkl::compile<model, tkl::half_storage<tkl::cpu<>>>::steps;
