// expect: attention #3 after 'q': scale is nan, no number that f32 holds
// SPDX-License-Identifier: Apache-2.0
// A scale that is not a number.
#include <limits>
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 4, 8}), k = g.input("k", tkl::f32, {1, 6, 8}),
               v = g.input("v", tkl::f32, {1, 6, 8});
    return tkl::attention(q, k, v, {.scale = std::numeric_limits<double>::quiet_NaN()});
  }
};
static_assert(tkl::checked_model<model>::sound);
