// expect: conv2d 'conv': chain is always, it runs as winograd, which takes its input whole
// SPDX-License-Identifier: Apache-2.0
// A chain with a convolution by Winograd's algorithm.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto y = tkl::conv2d(x, g.weight("first", {64, 64, 1, 1}));
    return tkl::conv2d(y, g.weight("conv", {64, 64, 3, 3}), {.pad = 1, .chain = tkl::conv_chaining::always});
  }
};
constexpr int steps = tkl::compile<model, tkl::cpu<>>::steps;
