// expect: batch_norm 'bn\.scale': mean has 32 elements, needs 64 channels of the input
// SPDX-License-Identifier: Apache-2.0
// Batch normalisation with statistics of other channels.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::batch_norm(x, g.weight("bn.scale", {64}), g.weight("bn.offset", {64}), g.weight("bn.mean", {32}),
                           g.weight("bn.variance", {64}));
  }
};
static_assert(tkl::checked_model<model>::sound);
