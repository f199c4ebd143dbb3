// expect: add #2 after 'a': the result's extents 1099511627776x1099511627776 have a product beyond 64 bits
// SPDX-License-Identifier: Apache-2.0
// Extents whose product leaves 64 bits.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {std::int64_t{1} << 40, 1});
    return a + g.input("b", tkl::f32, {1, std::int64_t{1} << 40});
  }
};
static_assert(tkl::checked_model<model>::sound);
