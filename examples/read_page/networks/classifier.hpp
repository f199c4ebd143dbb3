// SPDX-License-Identifier: Apache-2.0
// PP-OCR mobile v2.0 direction classifier, a small MobileNetV3 (Howard et al. 2019): is the line upside down?
#pragma once

#include <array>

#include "layers.hpp"

namespace read_page {

/// Expand by a 1x1 convolution, filter each channel, project to `out` channels.
struct classifier_block {
  std::int64_t kernel = 3;
  std::int64_t expand = 0;
  std::int64_t out = 0;
  bool swish = false;
  bool gate = false;
  tkl::pair2 stride = 1;
};
// conv2 to conv12
inline constexpr std::array<classifier_block, 11> classifier_blocks{{{3, 8, 8, false, true, {2, 1}},
                                                                     {3, 24, 8, false, false, {2, 1}},
                                                                     {3, 32, 8, false, false},
                                                                     {5, 32, 16, true, true, {2, 1}},
                                                                     {5, 88, 16, true, true},
                                                                     {5, 88, 16, true, true},
                                                                     {5, 40, 16, true, true},
                                                                     {5, 48, 16, true, true},
                                                                     {5, 104, 32, true, true, {2, 1}},
                                                                     {5, 200, 32, true, true},
                                                                     {5, 200, 32, true, true}}};

/// Inputs: `picture` u8 [1, 48, 192, 3], R, G, B, and `width` i32 [1], the columns in use. Output: f32 [1, 2], upright
/// and turned by 180 degrees.
struct classifier {
  static constexpr value tensor(value x, std::string_view layer, std::string_view part, const tkl::shape& extents) {
    tkl::text<48> name;
    name << layer << part;
    return x.owner->weight(name.view(), extents);
  }
  static constexpr value conv_norm(value x, std::string_view layer, const conv_attributes& a) {
    const std::int64_t in = a.depthwise ? 1 : x.shape()[3];
    x = tkl::conv2d(x, tensor(x, layer, "_weights", {a.out, in, a.kernel.rows, a.kernel.columns}), a.params());
    const tkl::shape channels{a.out};
    return tkl::batch_norm(x, tensor(x, layer, "_bn_scale", channels), tensor(x, layer, "_bn_offset", channels),
                           tensor(x, layer, "_bn_mean", channels), tensor(x, layer, "_bn_variance", channels));
  }
  static constexpr value conv_bias(value x, std::string_view layer, std::int64_t out) {
    return tkl::conv2d(x, tensor(x, layer, "_weights", {out, x.shape()[3], 1, 1}), tensor(x, layer, "_offset", {out}));
  }
  static constexpr value activated(value x, bool swish) { return swish ? tkl::hard_swish(x) : tkl::relu(x); }

  static constexpr value apply(const classifier_block& b, int number, value x) {
    const auto part = [&](std::string_view what) { return tkl::text<32>{} << "conv" << number << what; };
    value y = activated(conv_norm(x, part("_expand").view(), {.out = b.expand}), b.swish);
    y = conv_norm(y, part("_depthwise").view(),
                  {.out = b.expand, .kernel = b.kernel, .stride = b.stride, .depthwise = true});
    y = activated(y, b.swish);
    if (b.gate) {
      const value hidden = tkl::relu(conv_bias(tkl::global_average_pool(y), part("_se_1").view(), b.expand / 4));
      y = y * tkl::hard_sigmoid(conv_bias(hidden, part("_se_2").view(), b.expand), 0.2, 0.5);
      y.named(part("_gated").view());
    }
    y = conv_norm(y, part("_linear").view(), {.out = b.out});
    if (b.stride == tkl::pair2(1) && x.shape()[3] == b.out) y = x + y;
    return y.named(part("").view());
  }

  /// From numbers -1 .. 1 on.
  static constexpr value network(value x) {
    tkl::graph& g = *x.owner;
    x = tkl::hard_swish(conv_norm(x, "conv1", {.out = 8, .kernel = 3, .stride = 2})).named("conv1");
    for (int i = 0; i < 11; ++i) x = apply(classifier_blocks[static_cast<std::size_t>(i)], i + 2, x);
    x = tkl::hard_swish(conv_norm(x, "conv_last", {.out = 200}));
    x = tkl::global_average_pool(tkl::max_pool2d(x, {.kernel = 2})).named("features");
    x = tkl::matmul(tkl::reshape(x, {1, 200}), g.weight("fc_0.w_0", {200, 2})) + g.weight("fc_0.b_0", {2});
    return tkl::softmax(x);
  }

  static constexpr value build(tkl::graph& g) {
    const value picture = g.input("picture", tkl::element::u8, {1, 48, 192, 3});
    const value width = g.input("width", tkl::element::i32, {1});
    return network(tkl::keep_first(normalised(picture), width, 2));
  }
};

}  // namespace read_page
