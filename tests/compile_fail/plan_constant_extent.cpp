// expect: weight 'w': an extent of a constant with shape 2147483648 exceeds 2147483647
// SPDX-License-Identifier: Apache-2.0
// A weight with an extent that exceeds 31 bits.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto w = tkl::reshape(g.weight("w", {2147483648}), {65536, 32768});
    return g.input("x", tkl::f32, {65536, 32768}) + w;
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
