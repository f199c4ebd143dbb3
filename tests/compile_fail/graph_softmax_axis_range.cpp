// expect: log_softmax #1 after 'x': axis -3 is out of range for shape 4x8 with 2 axes
// SPDX-License-Identifier: Apache-2.0
// Softmax along an axis that the input does not have.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::log_softmax(g.input("x", tkl::f32, {4, 8}), -3); }
};
static_assert(tkl::checked_model<model>::sound);
