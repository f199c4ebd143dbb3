// SPDX-License-Identifier: Apache-2.0
// ResNet-50 (He et al. 2015; stride in the 3x3 convolution, as torchvision has it), logits.
#pragma once

#include <array>

#include "torch_layers.hpp"

namespace tkl::test {

struct resnet50 {
  static constexpr value bottleneck(value x, int layer, int index, std::int64_t width, std::int64_t stride) {
    const auto part = [&](std::string_view what) {
      name_text name;
      name << "layer" << layer << '.' << index << '.' << what;
      return name;
    };
    value y = relu(conv_norm(x, part("conv1"), part("bn1"), {.out = width}));
    y = relu(conv_norm(y, part("conv2"), part("bn2"), {.out = width, .kernel = 3, .stride = stride}));
    y = conv_norm(y, part("conv3"), part("bn3"), {.out = 4 * width});
    if (index == 0) x = conv_norm(x, part("downsample.0"), part("downsample.1"), {.out = 4 * width, .stride = stride});
    return relu(x + y);
  }

  static constexpr value build(graph& g) {
    value x = relu(conv_norm(image(g), "conv1", "bn1", {.out = 64, .kernel = 7, .stride = 2}));
    x = max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1});
    const std::array<int, 4> counts{3, 4, 6, 3};
    for (int layer = 1; layer <= 4; ++layer)
      for (int i = 0; i < counts[static_cast<std::size_t>(layer - 1)]; ++i)
        x = bottleneck(x, layer, i, 32 << layer, i == 0 && layer > 1 ? 2 : 1);
    return classify(x, "fc");
  }
};

}  // namespace tkl::test
