// SPDX-License-Identifier: Apache-2.0
// Layers that the networks share. Parameter names are those of the published files: "conv2d_157.w_0".
#pragma once

#include <string_view>
#include <tkl/graph.hpp>

namespace read_page {

using tkl::value;

/// A numbered tensor of the weights file: numbered(x, "conv2d_", 157, ".w_0", {16, 1, 3, 3}).
constexpr value numbered(value x, std::string_view layer, int number, std::string_view part,
                         const tkl::shape& extents) {
  tkl::text<48> name;
  name << layer << number << part;
  return x.owner->weight(name.view(), extents);
}

struct conv_attributes {
  std::int64_t out = 0;
  tkl::pair2 kernel = 1;
  tkl::pair2 stride = 1;
  bool depthwise = false;
  bool bias = true;

  constexpr tkl::conv2d_params params() const {
    return {.stride = stride, .pad = {kernel.rows / 2, kernel.columns / 2}, .groups = depthwise ? out : 1};
  }
};

/// Convolution number `i` that keeps rows and columns at stride 1.
constexpr value conv(value x, int i, const conv_attributes& a) {
  const std::int64_t in = a.depthwise ? 1 : x.shape()[3];
  const value weight = numbered(x, "conv2d_", i, ".w_0", {a.out, in, a.kernel.rows, a.kernel.columns});
  if (!a.bias) return tkl::conv2d(x, weight, a.params());
  return tkl::conv2d(x, weight, numbered(x, "conv2d_", i, ".b_0", {a.out}), a.params());
}

/// Batch norm number `i` of the kind "batch_norm2d_" or "batch_norm_".
constexpr value batch_norm(value x, std::string_view kind, int i) {
  const tkl::shape channels{x.shape()[3]};
  return tkl::batch_norm(x, numbered(x, kind, i, ".w_0", channels), numbered(x, kind, i, ".b_0", channels),
                         numbered(x, kind, i, ".w_1", channels), numbered(x, kind, i, ".w_2", channels));
}

/// Squeeze and excite (Hu et al. 2018): each channel times a gate that the means of all channels decide. Convolutions
/// `i` and `i` + 1; the slope of the gate differs between and inside the networks.
constexpr value gated(value x, int i, double slope) {
  const std::int64_t channels = x.shape()[3];
  const value hidden = tkl::relu(conv(tkl::global_average_pool(x), i, {.out = channels / 4}));
  return x * tkl::hard_sigmoid(conv(hidden, i + 1, {.out = channels}), slope, 0.5);
}

/// What all three networks get: bytes R, G, B as numbers -1 .. 1 in the order B, G, R. The same as (x / 255 - 0.5) /
/// 0.5, but rounded once: an error here is the same for all pixels of a plain background, and grows with the sums.
constexpr value normalised(value picture) {
  return (tkl::cast(tkl::flip(picture, 3), tkl::element::f32) - 127.5) / 127.5;
}

}  // namespace read_page
