// expect: max_pool2d #1 after 'x': axis 2 \(columns\): kernel is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// A window without columns.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::max_pool2d(g.input("x", tkl::f32, {1, 8, 8, 3}), {.kernel = {2, 0}});
  }
};
static_assert(tkl::checked_model<model>::sound);
