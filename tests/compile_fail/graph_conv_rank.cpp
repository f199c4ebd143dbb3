// expect: conv2d 'conv': input has shape 1x3136x64 with 3 axes, needs 4: batch, row, column, channel
// SPDX-License-Identifier: Apache-2.0
// A convolution of something that is not a picture.
// reshape the rows into rows and columns first.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("tokens", tkl::f32, {1, 3136, 64});
    return tkl::conv2d(x, g.weight("conv", {64, 64, 1, 1}));
  }
};
static_assert(tkl::checked_model<model>::sound);
