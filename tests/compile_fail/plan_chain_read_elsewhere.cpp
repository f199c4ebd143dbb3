// expect: conv2d 'project': chain is always, but its input is also read elsewhere
// SPDX-License-Identifier: Apache-2.0
// A chain whose inner value has another reader.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto d = tkl::conv2d(x, g.weight("depthwise", {64, 1, 3, 3}), {.pad = 1, .groups = 64});
    const auto y = tkl::conv2d(d, g.weight("project", {64, 64, 1, 1}), {.chain = tkl::conv_chaining::always});
    return y * tkl::global_average_pool(d);
  }
};
constexpr int steps = tkl::compile<model, tkl::cpu<>>::steps;
