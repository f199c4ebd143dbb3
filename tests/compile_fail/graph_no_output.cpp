// expect: the model has no output
// SPDX-License-Identifier: Apache-2.0
// A model that declares no output.
#include <tkl/graph.hpp>

struct model {
  static constexpr void build(tkl::graph& g) { tkl::relu(g.input("x", tkl::f32, {4})); }
};
static_assert(tkl::checked_model<model>::sound);
