// SPDX-License-Identifier: Apache-2.0
// A graph of 300 layers, 900 nodes, through all passes: 300 steps that share one kernel. g++ must compile it with its
// default limits; clang needs the limit that tkl::tkl sets.
#include <tkl/cpu.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    auto x = g.input("image", tkl::f32, {1, 48, 320, 32});
    for (int i = 0; i < 300; ++i) {
      tkl::text<40> name;
      name << "features." << i << ".conv.weight";
      x = tkl::relu(tkl::conv2d(x, g.weight(name.view(), {32, 32, 3, 3}), {.pad = 1}));
    }
    return x;
  }
};
using net = tkl::compile<model, tkl::cpu<>>;
static_assert(net::steps == 300 && net::kernels == 1 && net::conversions == 0);
