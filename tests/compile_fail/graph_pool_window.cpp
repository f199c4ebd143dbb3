// expect: max_pool2d #1 after 'x': axis 1 \(rows\): window 0 sees no element: dilation 3 with input 1, pads 2 and 2
// SPDX-License-Identifier: Apache-2.0
// A dilated window that steps over the whole picture.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::max_pool2d(g.input("x", tkl::f32, {1, 1, 8, 3}),
                           {.kernel = {2, 1}, .stride = 1, .pad = {2, 0}, .dilation = {3, 1}});
  }
};
static_assert(tkl::checked_model<model>::sound);
