// expect: conv2d 'conv': axis 1 \(rows\): the kernel does not fit: it covers 5 \(kernel 3, dilation 2\), the padded
// expect: padded input has 4 \(0 \+ 4 \+ 0\)
// SPDX-License-Identifier: Apache-2.0
// A kernel that is larger than the padded input.
// There is no place for a single window along that axis: pad, or use a smaller kernel.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 4, 8, 4});
    return tkl::conv2d(x, g.weight("conv", {4, 4, 3, 3}), {.dilation = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
