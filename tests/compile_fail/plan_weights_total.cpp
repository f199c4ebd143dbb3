// expect: weight 'second': with it, all packed weights take more than 9223372036854775807 bytes
// SPDX-License-Identifier: Apache-2.0
// Weights that take more bytes together than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1});
    const auto first = g.weight("first", {1073741824, 1073741824}),
               second = g.weight("second", {1073741824, 1073741824});
    return x + first * x + second;
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
