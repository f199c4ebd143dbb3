// expect: average_pool2d #1 after 'x': input is u8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// Pooling of integers.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::average_pool2d(g.input("x", tkl::u8, {1, 8, 8, 3}), {.kernel = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
