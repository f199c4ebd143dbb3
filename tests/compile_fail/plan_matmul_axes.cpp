// expect: matmul 'product': shape 4x4x3x3x3 has 5 axes, a product of computed operands has at most 4
// SPDX-License-Identifier: Apache-2.0
// A product of matrices in batches of three axes.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = tkl::reshape(g.input("x", tkl::f32, {16, 9, 10, 1}), {4, 4, 3, 3, 10});
    return tkl::reshape(tkl::matmul(x, x, {.transpose_b = true}).named("product"), {48, 9});
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
