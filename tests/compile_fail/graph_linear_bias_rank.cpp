// expect: linear 'fc': bias has shape 1x1000 with 2 axes, needs 1 axis of 1000 output columns
// SPDX-License-Identifier: Apache-2.0
// A bias with two axes.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1280});
    return tkl::linear(x, g.weight("fc", {1000, 1280}), g.weight("fc.bias", {1, 1000}));
  }
};
static_assert(tkl::checked_model<model>::sound);
