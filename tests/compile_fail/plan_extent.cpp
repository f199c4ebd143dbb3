// expect: value 'x': an extent or a stride of a value with shape 2147483648x2 exceeds 2147483647
// SPDX-License-Identifier: Apache-2.0
// An extent that exceeds 31 bits.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::softmax(g.input("x", tkl::f32, {2147483648, 2})); }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
