// expect: linear 'fc': weight has shape 1000x1280x1x1 with 4 axes, needs 2: out x in
// SPDX-License-Identifier: Apache-2.0
// A fully connected layer with the weight of a convolution.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1280});
    return tkl::linear(x, g.weight("fc", {1000, 1280, 1, 1}));
  }
};
static_assert(tkl::checked_model<model>::sound);
