// expect: input 'x': layout nchw needs 4 axes, the shape 4x8 has 2
// SPDX-License-Identifier: Apache-2.0
// A matrix as input in the order of a picture.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(g.input("x", tkl::f32, {4, 8}, tkl::memory_layout::nchw));
  }
};
static_assert(tkl::checked_model<model>::sound);
