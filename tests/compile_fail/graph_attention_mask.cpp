// expect: attention #4 after 'q': mask has shape 4x5, does not broadcast to batch x heads x queries x keys = 1x2x4x6
// SPDX-License-Identifier: Apache-2.0
// A mask for another number of keys.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 8}),
               v = g.input("v", tkl::f32, {1, 6, 8});
    return tkl::attention(q, k, v, g.input("mask", tkl::f32, {4, 5}), {.heads = 2});
  }
};
static_assert(tkl::checked_model<model>::sound);
