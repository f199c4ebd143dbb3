// expect: matmul 'product': it takes more than 9223372036854775807 arithmetic operations
// SPDX-License-Identifier: Apache-2.0
// A product of more operations than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {2097152, 2097152});
    const auto y = g.input("y", tkl::f32, {2097152, 2097152});
    return tkl::matmul(x, y).named("product");
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
