// expect: tuned record 0 \(conv2d of 1024 x 256 x 64, f32 f32 f32\): no step of the model is of this kind; its first of that algorithm is conv2d of 32 x 256 x 64, f32 f32 f32
// SPDX-License-Identifier: Apache-2.0
// A tuned record that no step of the model uses: the model has changed since it was tuned.
// `tuned<Target, Records, true>` accepts records that serve several models or shapes.
#include <tkl/cpu.hpp>
#include <tkl/tuned.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(tkl::linear(g.input("x", tkl::f32, {50, 256}), g.weight("w", {64, 256})));
  }
};
inline constexpr std::array<tkl::tuned_record, 1> records{{{.version = tkl::tuning_version,
                                                            .device = tkl::device_of<tkl::arch::native>(),
                                                            .kind = {.shape = {1024, 256, 64}},
                                                            .conv = tkl::arch::native::conv}}};
constexpr int steps = tkl::compile<model, tkl::tuned<tkl::cpu<>, records>>::steps;
