// expect: tuned record 0 \(conv2d of 32 x 256 x 64, f32 f32 f32\): mr 40, nr [23], kc 64, mc 40: fails fits_registers<S, Arch>
// SPDX-License-Identifier: Apache-2.0
// A tuned record with a schedule that a concept refuses.
#include <tkl/cpu.hpp>
#include <tkl/tuned.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(tkl::linear(g.input("x", tkl::f32, {50, 256}), g.weight("w", {64, 256})));
  }
};
inline constexpr std::array<tkl::tuned_record, 1> records{
    {{.version = tkl::tuning_version,
      .device = tkl::device_of<tkl::arch::native>(),
      .kind = {.shape = {32, 256, 64}},
      .conv = {.mr = 40, .nr = tkl::arch::native::conv.nr, .kc = 64, .mc = 40}}}};
constexpr int steps = tkl::compile<model, tkl::tuned<tkl::cpu<>, records>>::steps;
