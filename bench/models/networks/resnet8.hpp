// SPDX-License-Identifier: Apache-2.0
// ResNet-8 of MLPerf Tiny (Banbury et al. 2021): 32x32 pictures, 10 classes.
#pragma once

#include <bench/models/layers.hpp>

namespace bench {

struct resnet8 {
  static constexpr value block(value x, const name_text& name, std::int64_t out, std::int64_t stride) {
    value y = tkl::relu(conv_norm(x, part(name, "a"), out, 3, {.stride = stride, .pad = 1}));
    y = conv_norm(y, part(name, "b"), out, 3, {.pad = 1});
    return tkl::relu(y + (stride > 1 ? conv_bias(x, part(name, "d"), out, stride) : x));
  }
  static constexpr value build(tkl::graph& g) {
    value x = g.input("x0", tkl::f32, {1, 32, 32, 3}, tkl::memory_layout::nchw);
    x = tkl::relu(conv_norm(x, "b.0", 16, 3, {.pad = 1}));
    x = block(x, "b.1", 16, 1);
    x = block(x, "b.2", 32, 2);
    x = block(x, "b.3", 64, 2);
    return probabilities(x, 10);
  }
};

}  // namespace bench
