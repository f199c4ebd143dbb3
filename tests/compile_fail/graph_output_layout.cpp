// expect: output 'y': layout nchw needs 4 axes, the shape 4x8 has 2
// SPDX-License-Identifier: Apache-2.0
// A matrix as output in the order of a picture.
#include <tkl/graph.hpp>

struct model {
  static constexpr void build(tkl::graph& g) {
    g.output(tkl::relu(g.input("x", tkl::f32, {4, 8})), "y", tkl::memory_layout::nchw);
  }
};
static_assert(tkl::checked_model<model>::sound);
