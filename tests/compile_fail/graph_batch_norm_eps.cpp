// expect: batch_norm 'bn\.scale': eps is nan, must be at least 0
// SPDX-License-Identifier: Apache-2.0
// An eps that is not a number.
#include <limits>
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    const auto scale = g.weight("bn.scale", {64}), offset = g.weight("bn.offset", {64}),
               mean = g.weight("bn.mean", {64}), variance = g.weight("bn.variance", {64});
    return tkl::batch_norm(x, scale, offset, mean, variance, {.eps = std::numeric_limits<double>::quiet_NaN()});
  }
};
static_assert(tkl::checked_model<model>::sound);
