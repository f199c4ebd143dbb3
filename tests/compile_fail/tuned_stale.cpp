// expect: tuned record 0 \(conv2d of 32 x 256 x 64, f32 f32 f32\): of version 0, this is version 1: tune again
// SPDX-License-Identifier: Apache-2.0
// A tuned record that was measured with kernels of before.
#include <tkl/cpu.hpp>
#include <tkl/tuned.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(tkl::linear(g.input("x", tkl::f32, {50, 256}), g.weight("w", {64, 256})));
  }
};
inline constexpr std::array<tkl::tuned_record, 1> records{{{.version = 0,
                                                            .device = tkl::device_of<tkl::arch::native>(),
                                                            .kind = {.shape = {32, 256, 64}},
                                                            .conv = tkl::arch::native::conv}}};
constexpr int steps = tkl::compile<model, tkl::tuned<tkl::cpu<>, records>>::steps;
