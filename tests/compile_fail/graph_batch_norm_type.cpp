// expect: batch_norm 'bn\.scale': input is f32, variance is f16: cast one of them
// SPDX-License-Identifier: Apache-2.0
// A variance of another type than the input.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto scale = g.weight("bn.scale", {64}), offset = g.weight("bn.offset", {64}),
               mean = g.weight("bn.mean", {64}), variance = g.weight("bn.variance", {64}, tkl::f16);
    return tkl::batch_norm(x, scale, offset, mean, variance);
  }
};
static_assert(tkl::checked_model<model>::sound);
