// expect: map of step 0: a tensor reaches beyond 2147483647 bytes, kernels count in 32 bits; conv2d 'w': a tensor
// SPDX-License-Identifier: Apache-2.0
// A model with steps that a target has no kernel for.
// All such steps are listed, each with its reason; `tkl::supports<model, target>` is the same question as a constant.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1024, 1024, 1024});
    g.output(tkl::relu(x), "y");
    g.output(tkl::conv2d(x, g.weight("w", {8, 1024, 1, 1})), "z");
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
