// expect: input 'x': its value of shape 2147483647x2147483647x2, 4 bytes per element, takes more than 9223372036854775807 bytes
// SPDX-License-Identifier: Apache-2.0
// An input of more bytes than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    return tkl::relu(g.input("x", tkl::f32, {2147483647, 2147483647, 2}));
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
