// expect: the architecture has no tensor cores
// errors: 9
// SPDX-License-Identifier: Apache-2.0
// Tensor cores on an architecture without them.
// `arch::simt` stands for any GPU; name one that has them: `tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::rounded>`.
#include <tkl/exec/cuda_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 16});
    g.output(tkl::conv2d(x, g.weight("w", {8, 16, 1, 1})));
  }
};
static_assert(tkl::supports<model, tkl::cuda<tkl::arch::simt, tkl::cuda_product::rounded>>);
