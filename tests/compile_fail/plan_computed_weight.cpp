// expect: conv2d 'conv': its weights are computed at run time; they must come from the weights file
// SPDX-License-Identifier: Apache-2.0
// A convolution whose weight depends on an input.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 1});
    const auto w = g.weight("conv", {1, 1, 3, 3});
    return tkl::conv2d(x, w * g.input("gain", tkl::f32, {1})).named("conv");
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
