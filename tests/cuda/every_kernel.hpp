// SPDX-License-Identifier: Apache-2.0
// A model with every kernel of work items: for the compiler of GPUs, and compared on the simulated one.
#pragma once

#include <tkl/graph.hpp>

namespace tkl_test {

struct every_kernel {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 12, 12, 8});
    auto y = tkl::relu(tkl::conv2d(x, g.weight("conv", {16, 8, 3, 3}), g.weight("bias", {16}), {.pad = 1}));
    y = tkl::hard_swish(tkl::conv2d(y, g.weight("depthwise", {16, 1, 3, 3}), {.pad = 1, .groups = 16})) + y;
    y = tkl::conv2d(y, g.weight("dilated", {16, 1, 3, 3}), {.pad = 2, .dilation = 2, .groups = 16});
    g.output(tkl::tanh(tkl::average_pool2d(y, {.kernel = 3, .stride = 2})));
    y = tkl::max_pool2d(y, {.kernel = 2, .stride = 2});
    y = tkl::conv_transpose2d(y, g.weight("up", {16, 8, 2, 2}), {.stride = 2});
    g.output(tkl::resize(y, {.extent = {5, 9}, .kind = tkl::resize_kind::nearest}));
    y = tkl::resize(tkl::pad(y, tkl::shape(0, 1, 1, 0), tkl::shape(0, 1, 1, 0)),
                    {.extent = {7, 7}, .kind = tkl::resize_kind::bilinear});
    const auto rows = tkl::layer_norm(tkl::reshape(y, {1, 49, 8}), g.weight("scale", {8}), g.weight("offset", {8}));
    const auto mixed = tkl::attention(rows, rows, rows, {.heads = 2});
    const auto masked = tkl::attention(rows, rows, rows, g.input("mask", tkl::f32, {1, 1, 49, 49}), {.heads = 2});
    g.output(tkl::softmax(tkl::matmul(mixed, rows, {.transpose_b = true})));
    g.output(tkl::log_softmax(tkl::matmul(masked, mixed, {.transpose_a = true})));
    g.output(tkl::cast(tkl::transpose(rows, {0, 2, 1}), tkl::f16));
    g.output(tkl::cast(tkl::transpose(rows, {0, 2, 1}) * 3.0, tkl::bf16));
    g.output(tkl::gelu(tkl::reduce_mean(y, {1, 2})));
    g.output(tkl::reduce_max(y, {3}));
    g.output(tkl::reduce_sum(x, {0, 1, 2, 3}));
    g.output(tkl::argmax(x, 3));
    const auto picture = tkl::cast(tkl::flip(g.input("picture", tkl::u8, {1, 9, 9, 3}), 3), tkl::f32) / 255.0;
    g.output(tkl::relu(tkl::conv2d(picture, g.weight("stem", {6, 3, 3, 3}), {.stride = 2, .pad = 1})));
  }
};

}  // namespace tkl_test
