// expect: the model returns a value of another graph
// SPDX-License-Identifier: Apache-2.0
// A result that belongs to another graph.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    tkl::graph other;
    return tkl::relu(other.input("x", tkl::f32, {4}));
  }
};
static_assert(tkl::checked_model<model>::sound);
