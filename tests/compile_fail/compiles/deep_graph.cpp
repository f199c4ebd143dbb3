// SPDX-License-Identifier: Apache-2.0
// A graph of 300 layers, 900 nodes: it must compile with every compiler's default limits.
#include <tkl/graph.hpp>

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
static_assert(tkl::checked_model<model>::sound);
