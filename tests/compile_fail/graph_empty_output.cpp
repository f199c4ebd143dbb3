// expect: the model returns an empty value
// SPDX-License-Identifier: Apache-2.0
// A model that returns nothing.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    g.input("x", tkl::f32, {4});
    return {};
  }
};
static_assert(tkl::checked_model<model>::sound);
