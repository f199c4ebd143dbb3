// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al. 2018), logits.
#pragma once

#include <array>

#include "torch_layers.hpp"

namespace tkl::test {

struct mobilenet_v2 {
  struct stage {
    std::int64_t expand, out;
    int count;
    std::int64_t stride;
  };

  static constexpr value inverted_residual(value x, int index, std::int64_t expand, std::int64_t out,
                                           std::int64_t stride) {
    const auto part = [&](int i, int j) {
      name_text name;
      name << "features." << index << ".conv." << i;
      if (j >= 0) name << '.' << j;
      return name;
    };
    value y = x;
    int i = 0;
    if (expand != 1) {
      y = relu6(conv_norm(y, part(0, 0), part(0, 1), {.out = expand * x.shape()[3]}));
      i = 1;
    }
    const std::int64_t hidden = y.shape()[3];
    y = relu6(conv_norm(y, part(i, 0), part(i, 1), {.out = hidden, .kernel = 3, .stride = stride, .groups = hidden}));
    y = conv_norm(y, part(i + 1, -1), part(i + 2, -1), {.out = out});
    return stride == 1 && x.shape()[3] == out ? x + y : y;
  }

  static constexpr value build(graph& g) {
    constexpr std::array<stage, 7> stages{
        {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};
    value x = relu6(conv_norm(image(g), "features.0.0", "features.0.1", {.out = 32, .kernel = 3, .stride = 2}));
    int index = 1;
    for (const stage& s : stages)
      for (int i = 0; i < s.count; ++i) x = inverted_residual(x, index++, s.expand, s.out, i == 0 ? s.stride : 1);
    return classify(relu6(conv_norm(x, "features.18.0", "features.18.1", {.out = 1280})), "classifier.1");
  }
};

}  // namespace tkl::test
