// expect: softmax 'odds of odds': with it, all steps together read and write more than 9223372036854775807 bytes
// SPDX-License-Identifier: Apache-2.0
// Steps that move more bytes than 64 bits count.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {536870912, 2147483647});
    return tkl::softmax(tkl::softmax(x)).named("odds of odds");
  }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
