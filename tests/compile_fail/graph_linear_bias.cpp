// expect: linear 'fc': bias has 1280 elements, needs 1000 output columns
// SPDX-License-Identifier: Apache-2.0
// A bias with as many elements as the layer has inputs.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1280});
    return tkl::linear(x, g.weight("fc", {1000, 1280}), g.weight("fc.bias", {1280}));
  }
};
static_assert(tkl::checked_model<model>::sound);
