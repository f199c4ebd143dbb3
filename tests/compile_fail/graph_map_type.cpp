// expect: sub #2 after 'image': operand 0 is u8, needs f32, f16 or bf16: cast it first
// SPDX-License-Identifier: Apache-2.0
// Arithmetic on bytes.
// Conversions are written: tkl::cast(x, tkl::f32) - 127.5f.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::u8, {1, 8, 8, 3});
    return (x - 127.5f) / 128.0f;
  }
};
static_assert(tkl::checked_model<model>::sound);
