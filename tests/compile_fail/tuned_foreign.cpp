// expect: tuned record 0 \(conv2d of 32 x 256 x 64, f32 f32 f32\): measured on my_board, the target is
// SPDX-License-Identifier: Apache-2.0
// A tuned record that was measured on another device.
// Its name, registers, lanes and caches must be those of the target's architecture.
#include <tkl/cpu.hpp>
#include <tkl/tuned.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(tkl::linear(g.input("x", tkl::f32, {50, 256}), g.weight("w", {64, 256})));
  }
};
inline constexpr std::array<tkl::tuned_record, 1> records{
    {{.version = tkl::tuning_version,
      .device = {.name = "my_board", .registers = 32, .width_f32 = 4},
      .kind = {.shape = {32, 256, 64}},
      .conv = tkl::arch::native::conv}}};
constexpr int steps = tkl::compile<model, tkl::tuned<tkl::cpu<>, records>>::steps;
