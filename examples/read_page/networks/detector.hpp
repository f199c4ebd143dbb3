// SPDX-License-Identifier: Apache-2.0
// PP-OCRv4 text detector: a page to the probability of text at each pixel ("differentiable binarization", Liao et al.
// 2020).
#pragma once

#include <read_page/picture.hpp>

#include "backbone.hpp"

namespace read_page {

inline constexpr backbone detector_backbone{.stem = 0,
                                            .stem_norm = 0,
                                            .first = 394,
                                            .rows = {{{3, 1, 32},
                                                      {3, 2, 48},
                                                      {3, 1, 48},
                                                      {3, 2, 96},
                                                      {3, 1, 96},
                                                      {3, 2, 192},
                                                      {5, 1, 192},
                                                      {5, 1, 192},
                                                      {5, 1, 192},
                                                      {5, 1, 192},
                                                      {5, 2, 384, 96},
                                                      {5, 1, 384, 107},
                                                      {5, 1, 384},
                                                      {5, 1, 384}}}};

/// Input: `picture` u8 [1, H, W, 3], R, G, B, H and W multiples of 32. Output: f32 [1, H, W, 1].
template <extent Size>
struct detector {
  /// Convolution plus its gated self; note the sum.
  static constexpr value residual(value x, int i, std::int64_t out, std::int64_t kernel) {
    const value y = conv(x, i, {.out = out, .kernel = kernel, .bias = false});
    return y + gated(y, i + 1, 0.2);
  }
  static constexpr value enlarged(value x, int times) {
    return tkl::resize(
        x, {.scale = times, .coordinates = tkl::coordinate_kind::asymmetric, .rounding = tkl::rounding_kind::floor});
  }
  /// Transposed convolution 2x2 at stride 2 with bias.
  static constexpr value doubled(value x, int i, std::int64_t out) {
    const value weight = numbered(x, "conv2d_transpose_", i, ".w_0", {x.shape()[3], out, 2, 2});
    const value bias = tkl::reshape(numbered(x, "conv2d_transpose_", i, ".b_0", {1, out, 1, 1}), {out});
    return tkl::conv_transpose2d(x, weight, bias, {.stride = 2});
  }

  /// From numbers -1 .. 1 on.
  static constexpr value network(value picture) {
    const backbone::outputs rows = detector_backbone(picture);

    const value in2 = residual(conv(rows[2], 131, {.out = 12}), 135, 96, 1);
    const value in3 = residual(conv(rows[4], 132, {.out = 18}), 141, 96, 1);
    const value in4 = residual(conv(rows[9], 133, {.out = 42}), 147, 96, 1);
    const value in5 = residual(conv(rows[13], 134, {.out = 360}), 153, 96, 1);
    const value o4 = in4 + enlarged(in5, 2);
    const value o3 = in3 + enlarged(o4, 2);
    const value o2 = in2 + enlarged(o3, 2);
    const value p5 = enlarged(residual(in5, 156, 24, 3), 8);
    const value p4 = enlarged(residual(o4, 150, 24, 3), 4);
    const value p3 = enlarged(residual(o3, 144, 24, 3), 2);
    const value p2 = residual(o2, 138, 24, 3);

    value x = tkl::concat(3, p5, p4, p3, p2).named("pyramid");
    x = conv(x, 159, {.out = 24, .kernel = 3, .bias = false});
    x = tkl::relu(batch_norm(x, "batch_norm_", 0));
    x = tkl::relu(batch_norm(doubled(x, 0, 24).named("doubled"), "batch_norm_", 1));
    return tkl::sigmoid(doubled(x, 1, 1));
  }

  static constexpr value build(tkl::graph& g) {
    return network(normalised(g.input("picture", tkl::element::u8, {1, Size.height, Size.width, 3})));
  }
};

}  // namespace read_page
