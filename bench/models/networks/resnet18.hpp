// SPDX-License-Identifier: Apache-2.0
// ResNet-18 (He et al. 2015), logits; torchvision's parameter names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tests/golden/networks/torch_layers.hpp>

namespace bench {

struct resnet18 {
  static constexpr tkl::value block(tkl::value x, int layer, int index, std::int64_t width, std::int64_t stride) {
    const auto part = [&](std::string_view what) {
      tkl::test::name_text name;
      name << "layer" << layer << '.' << index << '.' << what;
      return name;
    };
    tkl::value y = tkl::relu(conv_norm(x, part("conv1"), part("bn1"), {.out = width, .kernel = 3, .stride = stride}));
    y = conv_norm(y, part("conv2"), part("bn2"), {.out = width, .kernel = 3});
    if (stride != 1) x = conv_norm(x, part("downsample.0"), part("downsample.1"), {.out = width, .stride = stride});
    return tkl::relu(x + y);
  }

  static constexpr tkl::value build(tkl::graph& g) {
    tkl::value x = tkl::test::image(g);
    x = tkl::relu(tkl::test::conv_norm(x, "conv1", "bn1", {.out = 64, .kernel = 7, .stride = 2}));
    x = tkl::max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1});
    for (int layer = 1; layer <= 4; ++layer)
      for (int i = 0; i < 2; ++i) x = block(x, layer, i, 32 << layer, i == 0 && layer > 1 ? 2 : 1);
    return tkl::test::classify(x, "fc");
  }
};

}  // namespace bench
