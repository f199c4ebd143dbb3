// SPDX-License-Identifier: Apache-2.0
// Attributes of a graph node: one flat record, each member used by the kinds that its comment names.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/shape.hpp>

namespace tkl {

enum class pool_kind : std::uint8_t { max, average };
enum class reduce_kind : std::uint8_t { sum, mean, max, min, argmax };
enum class resize_kind : std::uint8_t { nearest, bilinear };
/// Where an output coordinate reads its input (ONNX Resize): (o + 0.5) / scale - 0.5; the same but 0 when the output
/// has one element; o / scale; o * (in - 1) / (out - 1). Nearest: `floor` of the coordinate (with asymmetric: repeated
/// pixels).
enum class coordinate_kind : std::uint8_t { half_pixel, pytorch_half_pixel, asymmetric, align_corners };
enum class rounding_kind : std::uint8_t { floor, ceil, round_prefer_floor, round_prefer_ceil };
/// Which algorithm runs a convolution; `winograd2`, `winograd4`: by tiles of 2 x 2 and 4 x 4 outputs.
enum class conv_method : std::uint8_t { automatic, direct, winograd2, winograd4 };
TKL_TAGGED constexpr std::string_view name_of(conv_method m) {
  constexpr std::string_view names[] = {"automatic", "direct", "winograd2", "winograd4"};
  return names[static_cast<int>(m)];
}
/// Whether a convolution takes its input row by row from the step before it, so that the whole input never lies in
/// memory: where an estimate says that it pays, never, or always (a compile error where that is impossible). See
/// graph/chain_choice.hpp.
enum class conv_chaining : std::uint8_t { automatic, never, always };
/// Which keys a query of attention takes: all; those up to its own index (`top_left`: query 0 takes key 0 alone); those
/// that the last query stands behind (`bottom_right`: the last query takes all, as one after a cache of keys does). The
/// two differ where queries and keys differ in number.
enum class causality : std::uint8_t { none, top_left, bottom_right };
/// Query i takes the keys up to i + reach.
TKL_TAGGED constexpr std::int64_t reach_of(causality c, std::int64_t queries, std::int64_t keys) {
  return c == causality::none ? keys : c == causality::top_left ? 0 : keys - queries;
}
/// Order of the four axes in memory. Graph shapes are always batch, row, column, channel.
enum class memory_layout : std::uint8_t { nhwc, nchw };

struct attributes {
  std::int32_t kernel[2]{1, 1};          // conv2d, conv_transpose2d, pool2d: rows, columns
  std::int32_t stride[2]{1, 1};          // the same
  std::int32_t dilation[2]{1, 1};        // conv2d, conv_transpose2d, pool2d
  std::int32_t pad[4]{};                 // top, left, bottom, right
  std::int32_t output_pad[2]{};          // conv_transpose2d: rows, columns
  std::int32_t groups = 1;               // conv2d, conv_transpose2d; attention: heads of k and v
  std::int32_t function = -1;            // map: number in function_list
  std::int32_t axis = -1;                // concat, keep_first
  std::uint32_t axes = 0;                // reduce: bit i for axis i
  std::int32_t heads = 1;                // attention: query heads
  std::uint8_t mode = 0;                 // pool2d, reduce, resize2d: the kind; softmax: 1 for log; attention: causality
  std::uint8_t coordinates = 0;          // resize2d: coordinate_kind
  std::uint8_t rounding = 0;             // resize2d nearest: rounding_kind
  std::uint8_t layout = 0;               // input: memory_layout
  std::uint8_t method = 0;               // conv2d: conv_method
  std::uint8_t chain = 0;                // conv2d: conv_chaining
  bool ceil_mode = false;                // pool2d
  bool count_include_pad = false;        // pool2d average
  bool keep_dims = true;                 // reduce
  bool transpose_a = false;              // matmul
  bool transpose_b = false;              // matmul
  std::int64_t begin[max_rank]{};        // slice: first index; pad: elements before
  std::int64_t end[max_rank]{};          // pad: elements after
  std::int64_t step[max_rank]{};         // slice: step, may be negative
  std::int32_t permutation[max_rank]{};  // transpose: output axis i is input axis permutation[i]
  double real[2]{};  // literal: value; batch_norm, layer_norm: eps; attention: scale; pad: value; resize2d: scales
};

}  // namespace tkl
