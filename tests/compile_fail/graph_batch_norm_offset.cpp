// expect: batch_norm 'bn\.scale': offset has shape 1x64 with 2 axes, needs 1 axis of 64 channels of the input
// SPDX-License-Identifier: Apache-2.0
// An offset with two axes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto scale = g.weight("bn.scale", {64}), offset = g.weight("bn.offset", {1, 64}),
               mean = g.weight("bn.mean", {64}), variance = g.weight("bn.variance", {64});
    return tkl::batch_norm(x, scale, offset, mean, variance);
  }
};
static_assert(tkl::checked_model<model>::sound);
