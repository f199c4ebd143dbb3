// SPDX-License-Identifier: Apache-2.0
// A small network with most kinds of kernels, in several shapes.
#pragma once

#include <tkl/graph.hpp>

namespace tkl_test {

/// A strip of `Columns` columns: two convolutions, one of them depthwise, a gate, pooling, attention, and the
/// probabilities of 11 labels for each column.
template <int Columns>
struct strip_reader {
  static constexpr tkl::value build(tkl::graph& g) {
    tkl::value x = g.input("strip", tkl::f32, {1, 8, Columns, 3});
    x = tkl::conv2d(x, g.weight("stem.weight", {16, 3, 3, 3}), g.weight("stem.bias", {16}),
                    {.stride = {2, 1}, .pad = 1});
    x = tkl::hard_swish(x);
    x = x + tkl::relu(tkl::conv2d(x, g.weight("depthwise.weight", {16, 1, 3, 3}), {.pad = 1, .groups = 16}));
    const tkl::value gate = tkl::conv2d(tkl::global_average_pool(x), g.weight("gate.weight", {16, 16, 1, 1}));
    x = tkl::max_pool2d(x * tkl::sigmoid(gate), {.kernel = {4, 1}, .stride = {4, 1}});
    x = tkl::layer_norm(tkl::reshape(x, {1, Columns, 16}));
    const auto [q, k, v] = tkl::split<3>(tkl::linear(x, g.weight("mix.weight", {48, 16})), -1);
    x = x + tkl::attention(q, k, v, {.heads = 2});
    return tkl::softmax(tkl::linear(x, g.weight("label.weight", {11, 16}), g.weight("label.bias", {11})));
  }
};

}  // namespace tkl_test
