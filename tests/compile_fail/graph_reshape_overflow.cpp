// expect: reshape #1 after 'x': the extents 4294967296x4294967296 have a product beyond 64 bits
// SPDX-License-Identifier: Apache-2.0
// A shape with more elements than 64 bits count.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::reshape(g.input("x", tkl::f32, {4, 8}), {4294967296, 4294967296});
  }
};
static_assert(tkl::checked_model<model>::sound);
