// expect: (?m)^[^\n]*error[^\n]*conv2d 'features\.150\.conv\.weight': input has 32 channels, weight expects 64
// lines: 39
// SPDX-License-Identifier: Apache-2.0
// A mistake in the 150th of 300 layers.
// The message's first line names the layer and both numbers; no compiler limit has to be raised.
#include <tkl/graph.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    auto x = g.input("image", tkl::f32, {1, 48, 320, 32});
    for (int i = 0; i < 300; ++i) {
      tkl::text<40> name;
      name << "features." << i << ".conv.weight";
      x = tkl::relu(tkl::conv2d(x, g.weight(name.view(), {32, i == 150 ? 64 : 32, 3, 3}), {.pad = 1}));
    }
    return x;
  }
};
static_assert(tkl::checked_model<model>::sound);
