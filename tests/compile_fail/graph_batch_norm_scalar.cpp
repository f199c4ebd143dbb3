// expect: batch_norm 'bn\.scale': input is a scalar, needs at least 1 axis
// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of one number.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {});
    const auto scale = g.weight("bn.scale", {64}), offset = g.weight("bn.offset", {64}),
               mean = g.weight("bn.mean", {64}), variance = g.weight("bn.variance", {64});
    return tkl::batch_norm(x, scale, offset, mean, variance);
  }
};
static_assert(tkl::checked_model<model>::sound);
