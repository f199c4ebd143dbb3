// expect: no value of the model is named 'conv1'
// SPDX-License-Identifier: Apache-2.0
// A probe for a name that no value has.
#include <tkl/graph.hpp>
#include <tkl/graph/outputs.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::relu(g.input("x", tkl::f32, {4})).named("conv"); }
};
static_assert(tkl::checked_model<tkl::with_outputs<model, "conv1">>::sound);
