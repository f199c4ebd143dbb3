// expect: output 'scores': declared with shape 1x10 and again with shape 1x64; each output needs its own name
// SPDX-License-Identifier: Apache-2.0
// Two outputs of one name.
#include <tkl/graph.hpp>

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("features", tkl::f32, {1, 64});
    g.output(tkl::linear(x, g.weight("head", {10, 64})), "scores");
    g.output(tkl::sigmoid(x), "scores");
  }
};
static_assert(tkl::checked_model<model>::sound);
