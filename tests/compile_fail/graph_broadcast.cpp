// expect: add #2 after 'a': shapes 1x56x56x64 and 1x28x28x64 do not broadcast: axis 2 has 56 and 28
// SPDX-License-Identifier: Apache-2.0
// A residual connection over a strided block.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {1, 56, 56, 64});
    const auto b = g.input("b", tkl::f32, {1, 28, 28, 64});
    return a + b;
  }
};
static_assert(tkl::checked_model<model>::sound);
