// expect: max_pool2d #1 after 'x': axis 1 \(rows\): the kernel does not fit: it covers 9 \(kernel 9, dilation 1\), the padded input has 8 \(0 \+ 8 \+ 0\)
// SPDX-License-Identifier: Apache-2.0
// A window larger than the picture.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::max_pool2d(g.input("x", tkl::f32, {1, 8, 8, 3}), {.kernel = 9});
  }
};
static_assert(tkl::checked_model<model>::sound);
