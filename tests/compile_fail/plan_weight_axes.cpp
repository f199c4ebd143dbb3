// expect: weight 'w': shape 2x2x2x2x2 has 5 axes, a weight has at most 4
// SPDX-License-Identifier: Apache-2.0
// A weight with five axes behind a reshape.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto w = g.weight("w", {2, 2, 2, 2, 2});
    return g.input("x", tkl::f32, {8, 4}) + tkl::reshape(w, {8, 4});
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
