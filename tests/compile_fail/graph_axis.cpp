// expect: reduce_mean #1 after 'x': axis 4 is out of range for shape 1x8x8x4 with 4 axes
// SPDX-License-Identifier: Apache-2.0
// An axis that the tensor does not have.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::reduce_mean(g.input("x", tkl::f32, {1, 8, 8, 4}), {1, 4});
  }
};
static_assert(tkl::checked_model<model>::sound);
