// SPDX-License-Identifier: Apache-2.0
// DS-CNN, the keyword spotter of MLPerf Tiny (Zhang et al. 2017): 49 frames of 10 coefficients, 12 words.
#pragma once

#include <bench/models/layers.hpp>

namespace bench {

struct dscnn {
  static constexpr value build(tkl::graph& g) {
    value x = g.input("x0", tkl::f32, {1, 49, 10, 1}, tkl::memory_layout::nchw);
    x = tkl::relu(conv_norm(x, "b.0", 64, {10, 4}, {.stride = 2, .pad = {5, 1}}));
    for (int i = 1; i <= 8; i += 2) {
      x = tkl::relu(conv_norm(x, part("b", i), 64, 3, {.pad = 1, .groups = 64}));
      x = tkl::relu(conv_norm(x, part("b", i + 1), 64));
    }
    return probabilities(x, 12);
  }
};

}  // namespace bench
