// SPDX-License-Identifier: Apache-2.0
// PP-LCNetV3, re-parametrised: the backbone of detector and recogniser.
#pragma once

#include <array>

#include "layers.hpp"

namespace read_page {

/// A depthwise and a 1x1 convolution.
struct backbone_row {
  std::int64_t kernel = 3;
  tkl::pair2 stride = 1;
  std::int64_t out = 0;
  int gate = 0;  // number of its first convolution; 0: no squeeze and excite
};

struct backbone {
  int stem = 0;       // number of the first convolution
  int stem_norm = 0;  // and of its batch norm
  int first = 0;      // number of row 0's depthwise convolution; the others follow
  std::array<backbone_row, 14> rows{};

  using outputs = std::array<value, 14>;

  /// x times a number plus a number, both learned ("learnable affine block").
  static constexpr value affine(value x, std::string_view layer, int i) {
    return x * numbered(x, layer, i, ".w_0", {1}) + numbered(x, layer, i, ".w_1", {1});
  }
  static constexpr value activated(value x, int i) { return affine(tkl::hard_swish(x), "whswish_b_", i); }

  /// Row r of the table above it; a depthwise convolution that halves rows and columns has no activation.
  constexpr value row(value x, int r) const {
    const backbone_row& a = rows[static_cast<std::size_t>(r)];
    const int i = 2 * r;
    const conv_attributes depthwise{.out = x.shape()[3], .kernel = a.kernel, .stride = a.stride, .depthwise = true};
    x = affine(conv(x, first + i, depthwise), "mobile_one_block_", i);
    if (a.stride != tkl::pair2(2)) x = activated(x, i + 1);
    tkl::text<32> name;
    x.named((name << "row" << r << ".depthwise").view());
    if (a.gate != 0) x = gated(x, a.gate, 1.0 / 6);
    x = affine(conv(x, first + i + 1, {.out = a.out}), "mobile_one_block_", i + 1);
    name = {};
    return activated(x, i + 2).named((name << "row" << r).view());
  }

  /// The outputs of all rows.
  constexpr outputs operator()(value x) const {
    x = conv(x, stem, {.out = 16, .kernel = 3, .stride = 2, .bias = false});
    x = batch_norm(x, "batch_norm2d_", stem_norm).named("stem");
    outputs all;
    for (int r = 0; r < 14; ++r) all[static_cast<std::size_t>(r)] = x = row(x, r);
    return all;
  }
};

}  // namespace read_page
