// expect: weight 'head': its packed weights take more than 9223372036854775807 bytes
// SPDX-License-Identifier: Apache-2.0
// A weight of more bytes than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto w = g.weight("head", {2147483647, 2147483647});
    return tkl::linear(g.input("x", tkl::f32, {1, 2147483647}), w);
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
