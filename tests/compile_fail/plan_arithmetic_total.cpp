// expect: matmul 'last': with it, all steps together take more than 9223372036854775807 arithmetic operations
// SPDX-License-Identifier: Apache-2.0
// Products that take more operations together than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    auto x = g.input("x", tkl::f32, {1048576, 1048576});
    for (int i = 0; i < 4; ++i) x = tkl::matmul(x, g.input("", tkl::f32, {1048576, 1048576}));
    return x.named("last");
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
