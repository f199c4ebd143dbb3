// expect: map 'sum': the axes of its operands merge to 5, a step has 4
// SPDX-License-Identifier: Apache-2.0
// Operands whose five axes no step can walk.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = tkl::reshape(g.input("x", tkl::f32, {16, 9, 10, 1}), {4, 4, 3, 3, 10});
    return tkl::reshape((x + tkl::transpose(x, {1, 0, 3, 2, 4})).named("sum"), {144, 10});
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
