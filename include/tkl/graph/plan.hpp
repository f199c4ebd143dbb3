// SPDX-License-Identifier: Apache-2.0
// The plan: what the passes make of a graph. Steps, edges and kernel keys, all data; a loop walks the steps, a table
// holds one function per distinct kernel key.
//
// Every tensor in a plan has four axes (missing outer ones are 1) and strides in elements, so that a slice, or a part
// of a concatenation, is an edge like any other. The innermost axis is the column of an expression's place.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/expr/code.hpp>

namespace tkl {

inline constexpr int plan_rank = 4;
inline constexpr std::int64_t buffer_alignment = 64;

/// Where an edge's bytes lie. `scratch`: of the worker that runs; only what the stages of a chain hand on while it runs
/// lies there.
enum class space : std::uint8_t { none, arena, weights, input, output, scratch };

/// A tensor at run time: a place, extents and strides.
struct edge {
  space where = space::none;
  element type = element::f32;
  std::int16_t index = -1;  // input, output: its number
  std::int32_t name = -1;   // offset into the plan's text
  std::int64_t offset = 0;  // bytes from the start of the space (arena, weights, or the caller's buffer)
  std::int32_t extent[plan_rank]{1, 1, 1, 1};
  std::int32_t stride[plan_rank]{0, 0, 0, 0};  // elements
};

/// The algorithms (one file each in algo/) that a step can run.
enum class algorithm : std::uint8_t {
  matmul,            // x [batch, -, m, k] times packed or plain second operand
  conv2d,            // implicit GEMM over packed weights
  conv2d_staged,     // few input channels: rows are staged (converted, padded) in scratch first
  depthwise,         // one filter per channel
  conv_transpose2d,  //
  pool2d,            //
  reduce,            // over spatial axes or columns
  softmax,           //
  layer_norm,        //
  attention,         //
  resize2d,          //
  pad,               // constant border
  map,               // element-wise, copies and casts included
  winograd,          // 3x3 convolution of stride 1 by fewer products
  conv_chain,        // convolutions that hand rows on to each other
};
inline constexpr std::string_view algorithm_names[] = {
    "matmul",   "conv2d", "conv2d_staged", "depthwise",  "conv_transpose2d",
    "pool2d",   "reduce", "softmax",       "layer_norm", "attention",
    "resize2d", "pad",    "map",           "winograd",   "conv_chain"};
constexpr std::string_view name_of(algorithm a) {
  return algorithm_names[static_cast<int>(a)];
}

/// What decides the code of a kernel, and nothing else: two steps with equal keys share one instantiation, whatever
/// their shapes. `variant` holds what an algorithm specialises on (depthwise: kernel rows, kernel columns, column
/// stride; winograd: outputs along a tile; pool2d, reduce, resize2d, softmax: the mode; matmul: 1 when the second
/// operand is a plain tensor, 2 when it is one transposed).
struct kernel_key {
  tkl::algorithm algorithm = tkl::algorithm::map;
  element in = element::f32;
  element out = element::f32;
  element weights = element::f32;  // of packed weights; matmul: of a plain second operand narrower than the first
  std::uint8_t variant[3]{};
  std::uint8_t schedule = 0;  // 0: the target's own; n: that of record n - 1 of a tuned target
  expr_code prologue{};       // applied to each loaded input element (conv2d_staged); empty: none
  expr_code epilogue{};       // applied to each result; empty: none
  constexpr bool operator==(const kernel_key&) const = default;
};

/// Numbers of a step that its kernel takes as arguments.
struct step_parameters {
  std::int32_t kernel[2]{1, 1};
  std::int32_t stride[2]{1, 1};
  std::int32_t dilation[2]{1, 1};
  std::int32_t pad[4]{};    // top, left, bottom, right
  std::int32_t groups = 1;  // attention: heads of k and v
  std::int32_t heads = 1;
  std::int32_t reach = 0;        // attention: query i takes the keys up to i + reach; conv_chain: rows of a band
  std::uint8_t mode = 0;         // see attributes::mode; winograd: outputs along a tile; conv_chain: stages; other
                                 // convolutions: conv_chaining
  std::uint8_t coordinates = 0;  // see attributes
  std::uint8_t rounding = 0;
  bool include_pad = false;
  bool transpose_a = false;
  std::uint8_t axes = 0;  // reduce: bit i for plan axis i
  float real[2]{};        // eps; scale; pad value; resize scales
};

inline constexpr int step_inputs = 4;
inline constexpr int prologue_operands = 6;

/// A chain is one step whose stages are steps of a list of their own, with kernels of their own (see program). Its in
/// and operands are what the stages read of the arena and of the caller, so that passes need not know the stages.
struct step {
  tkl::algorithm algorithm = tkl::algorithm::map;
  std::int16_t kernel = -1;                      // index of its key
  std::int16_t in[step_inputs]{-1, -1, -1, -1};  // edges: x; attention: q, k, v, mask; matmul: a, b (plain)
  std::int16_t weight = -1;                      // edge of packed weights: panels that begin with the bias
  std::int16_t out = -1;                         // edge
  std::int16_t scratch = -1;                     // edge, bytes per worker
  std::int16_t prologue_operand[prologue_operands]{-1, -1, -1, -1, -1, -1};
  std::int16_t operand[max_operands]{-1, -1, -1, -1, -1, -1, -1, -1};  // epilogue slots: edges, or -1 for a literal
  std::int16_t stage = -1;                                             // conv_chain: the first of its stages
  float prologue_literal[prologue_operands]{};
  float literal[max_operands]{};
  std::int32_t name = -1;
  step_parameters parameters{};
};

}  // namespace tkl
