// expect: linear 'fc': input has 1280 columns, weight 1280x1000 \(out x in\) expects 1000
// SPDX-License-Identifier: Apache-2.0
// A linear layer whose weight is stored in x out.
// linear takes weights out x in; for in x out use tkl::matmul(x, w).
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::linear(g.input("x", tkl::f32, {1, 1280}), g.weight("fc", {1280, 1000}));
  }
};
static_assert(tkl::checked_model<model>::sound);
