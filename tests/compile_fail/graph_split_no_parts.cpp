// expect: split #1 after 'x': parts is 0, must be at least 1
// SPDX-License-Identifier: Apache-2.0
// Splitting into no parts.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto parts = tkl::split(g.input("x", tkl::f32, {4, 8}), 1, 0);
    return parts.empty() ? tkl::value{} : parts[0];
  }
};
static_assert(tkl::checked_model<model>::sound);
