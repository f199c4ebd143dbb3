// SPDX-License-Identifier: Apache-2.0
// Random graphs from a seed, usable in constant evaluation: every kind of op, every element-wise function, views,
// fan-out, several outputs.
//
// Random draws and new weights are statements of their own: the order in which arguments are evaluated is not fixed,
// and the graph of a seed must be the same at compile time, at run time and with every compiler.
#pragma once

#include <cstdint>
#include <tkl/graph.hpp>

#include "support/conv_methods.hpp"
#include "support/random_graph_values.hpp"

namespace tkl_test {

class random_graph_builder : random_graph_values {
 public:
  using random_graph_values::random_graph_values;

  constexpr void build() {
    add_inputs();
    const std::int64_t ops = random_.in(4, 16);
    for (std::int64_t i = 0; i < ops; ++i) add_op();
    std::int64_t outputs = random_.in(1, 3);
    g_.output(values_.back());
    while (--outputs > 0) g_.output(pick());  // may name a view, an input's view, or a value that others read
    if (argmax_.valid()) g_.output(argmax_);
  }

 private:
  constexpr value normalised(value x) {
    const shape c{x.shape().back(0)};
    const value scale = weight(c), offset = weight(c), mean = weight(c), variance = tkl::abs(weight(c)) + 0.5;
    return tkl::batch_norm(x, scale, offset, mean, variance, {.eps = 1e-3});
  }

  constexpr void add_conv() {
    const value x = four_axes(pick_recent());
    const shape s = x.shape();
    const std::int64_t kernel_rows = random_.in(1, 3), kernel_columns = random_.in(1, 3);
    const tkl::sides4 pad{random_.in(0, 1), random_.in(0, 1), random_.in(0, 1), random_.in(0, 2)};
    const std::int64_t dilation = random_.chance(25) ? 2 : 1;
    if ((kernel_rows - 1) * dilation + 1 > s[1] + pad.top + pad.bottom) return add_unary();
    if ((kernel_columns - 1) * dilation + 1 > s[2] + pad.left + pad.right) return add_unary();
    const std::int64_t groups = random_.chance(30) ? s[3] : random_.chance(20) && s[3] % 2 == 0 ? 2 : 1;
    const std::int64_t out = groups * random_.in(1, groups > 2 ? 2 : 5);
    const tkl::pair2 stride{random_.in(1, 2), random_.in(1, 2)};
    const value w = weight({out, s[3] / groups, kernel_rows, kernel_columns});
    value y = tkl::conv2d(x, w, {.stride = stride, .pad = pad, .dilation = dilation, .groups = groups});
    if (random_.chance(50)) y = y + weight({out});
    if (random_.chance(30)) y = normalised(y);
    keep(y);
    if (!random_.chance(40)) return;
    const value scale = weight({1}), shift = weight({1});
    keep(tkl::hard_swish(y) * scale + shift);
  }

  constexpr void add_transposed() {
    const value x = four_axes(pick_recent());
    const shape s = x.shape();
    const std::int64_t stride = random_.in(1, 2), kernel = random_.in(stride, 3), out = random_.in(1, 4);
    const value w = weight({s[3], out, kernel, kernel}), bias = weight({out});
    keep(tkl::conv_transpose2d(x, w, bias, {.stride = stride}));
  }

  constexpr void add_pool() {
    const value x = four_axes(pick_recent());
    const std::int64_t kernel = random_.in(1, 3), pad = kernel == 3 ? random_.in(0, 1) : 0, stride = random_.in(1, 2);
    if (x.shape()[1] + 2 * pad < kernel || x.shape()[2] + 2 * pad < kernel) return add_unary();
    const bool ceil = random_.chance(30), include = random_.chance(50);
    if (random_.chance(50))
      return keep(tkl::max_pool2d(x, {.kernel = kernel, .stride = stride, .pad = pad, .ceil_mode = ceil}));
    keep(tkl::average_pool2d(
        x, {.kernel = kernel, .stride = stride, .pad = pad, .ceil_mode = ceil, .count_include_pad = include}));
  }

  constexpr void add_reduce() {
    const value x = pick_recent();
    const int rank = x.shape().rank;
    if (rank == 0 || rank > 4) return add_unary();
    if (rank == 4 && random_.chance(40)) {
      const value gate =
          tkl::sigmoid(tkl::conv2d(tkl::global_average_pool(x), weight({x.shape()[3], x.shape()[3], 1, 1})));
      return keep(x * gate);
    }
    const auto axis = static_cast<int>(random_.in(0, rank - 1));
    if (!argmax_.valid() && random_.chance(20)) argmax_ = tkl::argmax(input_, static_cast<int>(random_.in(0, 3)));
    const tkl::reduce_params p{.keep_dims = random_.chance(60)};
    switch (random_.in(0, 3)) {
      case 0:
        return keep(tkl::reduce_sum(x, {axis}, p) * 0.25);
      case 1:
        return keep(tkl::reduce_mean(x, {axis}, p));
      case 2:
        return keep(tkl::reduce_max(x, {axis}, p));
      default:
        return keep(tkl::reduce_min(x, {axis}, p));
    }
  }

  constexpr void add_rows() {
    const value x = pick_recent();
    if (x.shape().rank == 0 || x.shape().rank > 4) return add_unary();
    const shape c{x.shape().back(0)};
    switch (random_.in(0, 3)) {
      case 0:
        return keep(tkl::softmax(x));
      case 1:
        return keep(tkl::log_softmax(x) * 0.125);
      case 2: {
        const value scale = weight(c), offset = weight(c);
        return keep(tkl::layer_norm(x, scale, offset, {.eps = 1e-2}));
      }
      default:
        return keep(tkl::layer_norm(x, {.eps = 1e-2}));
    }
  }

  constexpr void add_matmul() {
    const value x = four_axes(pick_recent());
    const shape s = x.shape();
    const value rows = tkl::reshape(x, shape(s[0], s[1] * s[2], s[3]));
    switch (random_.in(0, 3)) {
      case 0: {
        const std::int64_t out = random_.in(1, 8);
        const value w = weight({out, s[3]}), bias = weight({out}), shift = weight({1});
        return keep(tkl::linear(rows, w, bias) + shift);
      }
      case 1:
        return keep(tkl::gelu(tkl::matmul(rows, weight({s[3], random_.in(1, 8)}))));
      case 2:
        return keep(tkl::matmul(rows, rows, {.transpose_b = true}) * 0.1);
      default:
        return keep(tkl::matmul(rows, rows, {.transpose_a = true}) * 0.1);
    }
  }

  constexpr void add_attention() {
    const value x = four_axes(pick_recent());
    const shape s = x.shape();
    const std::int64_t heads = random_.in(1, 2), key_heads = random_.in(1, heads), depth = random_.in(1, 4);
    const value rows = tkl::reshape(x, shape(s[0], s[1] * s[2], s[3]));
    const std::int64_t width = heads * depth, key_width = key_heads * depth;
    const value joint = tkl::linear(rows, weight({width + 2 * key_width, s[3]}));
    const value q = tkl::slice(joint, 2, 0, width), k = tkl::slice(joint, 2, width, width + key_width),
                v = tkl::slice(joint, 2, width + key_width, width + 2 * key_width);
    if (heads == key_heads && random_.chance(40)) return add_attention_of_parts(q, k, v, heads);
    const auto causal = static_cast<tkl::causality>(random_.in(0, 2));
    const tkl::attention_params params{.heads = heads, .key_heads = key_heads, .causal = causal};
    if (random_.chance(30)) return keep(tkl::attention(q, k, v, weight({s[1] * s[2]}), params));
    keep(tkl::attention(q, k, v, params));
  }

  /// Attention written out, of which the passes make one node unless something else reads a part.
  constexpr void add_attention_of_parts(value q, value k, value v, std::int64_t heads) {
    const auto split = [&](value x, bool turned) {
      const shape& s = x.shape();
      return tkl::transpose(tkl::reshape(x, shape(s[0], s[1], heads, s[2] / heads)),
                            turned ? tkl::axis_list{0, 2, 3, 1} : tkl::axis_list{0, 2, 1, 3});
    };
    const bool turned = random_.chance(50);
    value scores = tkl::matmul(split(q, false), split(k, turned), {.transpose_b = !turned});
    scores = random_.chance(50) ? scores * 0.5 : scores / 3.0;
    if (random_.chance(20)) keep(scores);
    if (random_.chance(50)) scores = scores + weight({k.shape()[1]});
    const value mixed = tkl::transpose(tkl::matmul(tkl::softmax(scores), split(v, false)), {0, 2, 1, 3});
    keep(tkl::reshape(mixed, shape(q.shape()[0], q.shape()[1], v.shape()[2])));
  }

  constexpr void add_resize() {
    const value x = four_axes(pick_recent());
    if (random_.chance(50))
      return keep(tkl::resize(
          x, {.scale = 2, .coordinates = tkl::coordinate_kind::asymmetric, .rounding = tkl::rounding_kind::floor}));
    const tkl::pair2 extent{random_.in(1, 6), random_.in(1, 6)};
    keep(tkl::resize(x, {.extent = extent, .kind = tkl::resize_kind::bilinear}));
  }

  constexpr void add_view() {
    const value x = pick_recent();
    const shape s = x.shape();
    switch (random_.in(0, 5)) {
      case 0: {
        if (s.rank == 0) return add_unary();
        const auto axis = static_cast<int>(random_.in(0, s.rank - 1));
        const std::int64_t begin = random_.in(0, s[axis] - 1);
        const std::int64_t end = random_.in(begin + 1, s[axis]);
        return keep(tkl::slice(x, axis, begin, end, random_.in(1, 2)));
      }
      case 1:
        return s.rank == 0 ? add_unary() : keep(tkl::flip(x, static_cast<int>(random_.in(0, s.rank - 1))));
      case 2:
        return s.rank == 4 ? keep(tkl::transpose(
                                 x, random_.chance(50) ? tkl::axis_list{0, 2, 1, 3} : tkl::axis_list{0, 3, 1, 2}))
                           : add_unary();
      case 3:
        return keep(tkl::reshape(x, shape(s.elements().value)));
      case 4:
        return keep(four_axes(x));
      default: {
        const value y = four_axes(x);
        return keep(tkl::pad(y, shape(0, 1, 0, random_.in(0, 2)), shape(0, 0, 1, 1), 0.5));
      }
    }
  }

  constexpr void add_concat() {
    const value x = four_axes(pick_recent());
    const shape s = x.shape();
    const value w = weight({random_.in(1, 5), s[3], 1, 1});
    const value y = tkl::conv2d(x, w);
    if (random_.chance(30)) return keep(tkl::concat(3, y, x, tkl::relu(y)));
    if (random_.chance(30)) return keep(tkl::concat(1, x, tkl::tanh(x)));
    keep(tkl::concat(3, tkl::silu(x), y));
  }

  constexpr void add_cast() {
    const value x = pick_recent();
    keep(tkl::cast(tkl::cast(x, random_.chance(50) ? tkl::f16 : tkl::bf16), tkl::f32));
  }

  constexpr void add_op() {
    const std::int64_t r = random_.in(0, 99);
    if (r < 20) return add_unary();
    if (r < 34) return add_binary();
    if (r < 52) return add_conv();
    if (r < 56) return add_transposed();
    if (r < 61) return add_pool();
    if (r < 68) return add_reduce();
    if (r < 73) return add_rows();
    if (r < 79) return add_matmul();
    if (r < 83) return add_attention();
    if (r < 87) return add_resize();
    if (r < 93) return add_view();
    if (r < 98) return add_concat();
    return add_cast();
  }
};

/// The random graph of a seed as a model; every second one asks for Winograd's algorithm.
template <std::uint32_t Seed>
struct random_model {
  static constexpr void build(tkl::graph& g) {
    random_graph_builder(g, Seed).build();
    if (Seed % 2 != 0) ask_for_winograd(g);
  }
};

}  // namespace tkl_test
