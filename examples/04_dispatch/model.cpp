// SPDX-License-Identifier: Apache-2.0
// A small network, compiled by tkl_add_model once per instruction-set level. In an unnamed namespace, so that nothing
// of it is shared between the levels.
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

namespace {

struct scores {
  static constexpr tkl::value build(tkl::graph& g) {
    tkl::value x = g.input("features", tkl::f32, {1, 8});
    x = tkl::relu(tkl::linear(x, g.weight("hidden.weight", {4, 8}), g.weight("hidden.bias", {4})));
    x = tkl::softmax(tkl::linear(x, g.weight("out.weight", {3, 4}), g.weight("out.bias", {3})));
    g.output(x, "scores");
    return x;
  }
};

}  // namespace

TKL_C_MODEL("scores", tkl::compile<scores, tkl::cpu<>>)
