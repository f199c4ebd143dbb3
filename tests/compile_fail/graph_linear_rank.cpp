// expect: linear 'fc': input has shape 1280, needs at least 2 axes
// SPDX-License-Identifier: Apache-2.0
// A fully connected layer over a vector.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1280});
    return tkl::linear(x, g.weight("fc", {1000, 1280}));
  }
};
static_assert(tkl::checked_model<model>::sound);
