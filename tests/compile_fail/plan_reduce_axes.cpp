// expect: reduce 'sum': shape 4x4x3x3x10 has 5 axes, the input of a reduction has at most 4
// SPDX-License-Identifier: Apache-2.0
// A reduction over one of five axes.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = tkl::reshape(g.input("x", tkl::f32, {16, 9, 10, 1}), {4, 4, 3, 3, 10});
    return tkl::reshape(tkl::reduce_sum(x, 2).named("sum"), {48, 10});
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
