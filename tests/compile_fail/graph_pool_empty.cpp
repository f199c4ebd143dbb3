// expect: max_pool2d #1 after 'x': axis 1 \(rows\): the input has 0 elements, a window of kernel 2 needs 1
// SPDX-License-Identifier: Apache-2.0
// Pooling of a picture without rows.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::max_pool2d(g.input("x", tkl::f32, {1, 0, 8, 3}), {.kernel = 2, .stride = 1, .pad = 1});
  }
};
static_assert(tkl::checked_model<model>::sound);
