// expect: softmax #1 after 'x': axis 1 is not the last of shape 1x8x4: transpose it to the end first
// SPDX-License-Identifier: Apache-2.0
// Softmax over an inner axis.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::softmax(g.input("x", tkl::f32, {1, 8, 4}), 1); }
};
static_assert(tkl::checked_model<model>::sound);
