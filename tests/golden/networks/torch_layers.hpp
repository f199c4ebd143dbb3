// SPDX-License-Identifier: Apache-2.0
// Layers with torchvision's parameter names, shared by the image networks.
#pragma once

#include <string_view>
#include <tkl/graph.hpp>

namespace tkl::test {

/// A layer's name, written or composed.
struct name_text : text<64> {
  constexpr name_text() = default;
  constexpr name_text(const char* written)
      : text<64>(std::string_view(written)) {}                           // NOLINT(google-explicit-constructor)
  constexpr name_text(const text<64>& composed) : text<64>(composed) {}  // NOLINT(google-explicit-constructor)
};

constexpr value parameter(value x, const name_text& layer, std::string_view part, const shape& extents) {
  name_text name = layer;
  name << '.' << part;
  return x.owner->weight(name.view(), extents);
}

struct conv_attributes {
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

/// Convolution without bias that keeps rows and columns at stride 1, then batch norm.
constexpr value conv_norm(value x, const name_text& conv, const name_text& norm, const conv_attributes& a) {
  const std::int64_t in = x.shape()[3] / a.groups;
  x = conv2d(x, parameter(x, conv, "weight", {a.out, in, a.kernel, a.kernel}),
             {.stride = a.stride, .pad = a.kernel / 2, .groups = a.groups});
  const shape channels{a.out};
  return batch_norm(x, parameter(x, norm, "weight", channels), parameter(x, norm, "bias", channels),
                    parameter(x, norm, "running_mean", channels), parameter(x, norm, "running_var", channels));
}

/// Mean over the picture, then a fully connected layer to 1000 logits.
constexpr value classify(value x, const name_text& layer) {
  const std::int64_t features = x.shape()[3];
  x = reshape(global_average_pool(x), {x.shape()[0], features});
  return linear(x, parameter(x, layer, "weight", {1000, features}), parameter(x, layer, "bias", {1000}));
}

/// A picture in PyTorch's order of axes in memory.
constexpr value image(graph& g) {
  return g.input("input", element::f32, {1, 224, 224, 3}, memory_layout::nchw);
}

}  // namespace tkl::test
