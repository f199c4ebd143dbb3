// expect: max_pool2d #1 after 'image': axis 1 \(rows\): pad 3 must be below the kernel, which covers 3: a window
// expect: a window would see no element
// SPDX-License-Identifier: Apache-2.0
// Pooling with a padding as large as the kernel.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 56, 56, 64});
    return tkl::max_pool2d(x, {.kernel = 3, .stride = 3, .pad = 3});
  }
};
static_assert(tkl::checked_model<model>::sound);
