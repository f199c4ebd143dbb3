// expect: value 'x' of shape 1x2x3x4x5 has 5 axes, inputs, outputs and operands have at most 4
// SPDX-License-Identifier: Apache-2.0
// An input with five axes.
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::relu(g.input("x", tkl::f32, {1, 2, 3, 4, 5})); }
};
static_assert(tkl::checked_support<model, tkl::opencl<>>::sound);
