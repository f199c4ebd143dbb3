// expect: input 'x': extents 1x\?x4 are not static or their product leaves 64 bits
// SPDX-License-Identifier: Apache-2.0
// An input whose extents are not constants.
// A graph has static extents; tkl::buckets compiles one model for several.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::relu(g.input("x", tkl::f32, {1, tkl::dyn, 4})); }
};
static_assert(tkl::checked_model<model>::sound);
