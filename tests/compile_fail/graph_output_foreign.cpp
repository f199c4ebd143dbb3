// expect: output 'y': a value of another graph
// SPDX-License-Identifier: Apache-2.0
// An output that belongs to another graph.
#include <tkl/graph.hpp>

struct model {
  static constexpr void build(tkl::graph& g) {
    tkl::graph other;
    g.output(other.input("x", tkl::f32, {4}), "y");
  }
};
static_assert(tkl::checked_model<model>::sound);
