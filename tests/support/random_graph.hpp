// SPDX-License-Identifier: Apache-2.0
// Random graphs from a seed, usable in constant evaluation: every kind of op, views, fan-out, several outputs.
//
// Random draws and new weights are statements of their own: the order in which arguments are evaluated is not fixed,
// and the graph of a seed must be the same at compile time, at run time and with every compiler.
//
// Values stay of moderate size (functions are bounded or fed with bounded arguments), and nothing discontinuous is
// applied to computed values, so that two correct programs agree within rounding.
#pragma once

#include <cstdint>
#include <tkl/graph.hpp>
#include <vector>

#include "support/conv_methods.hpp"
#include "support/random_source.hpp"

namespace tkl_test {

using tkl::shape;
using tkl::value;

class random_graph_builder {
 public:
  constexpr random_graph_builder(tkl::graph& g, std::uint32_t seed) : g_(g), random_(seed) {}

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
  constexpr value pick() {
    return values_[static_cast<std::size_t>(random_.in(0, static_cast<std::int64_t>(values_.size()) - 1))];
  }
  /// Prefers recent values, so that graphs are deep.
  constexpr value pick_recent() {
    const auto n = static_cast<std::int64_t>(values_.size());
    const bool recent = random_.chance(70);
    return values_[static_cast<std::size_t>(recent ? n - 1 - random_.in(0, n > 3 ? 2 : n - 1) : random_.in(0, n - 1))];
  }
  constexpr void keep(value v) {
    if (v.valid() && v.shape().elements().value <= 4096) values_.push_back(v);
  }
  constexpr value weight(const shape& s) {
    tkl::text<16> name;
    name << "w" << ++weights_;
    return g_.weight(name.view(), s);
  }
  constexpr void add_inputs() {
    const shape s{1 + random_.chance(25), random_.in(1, 7), random_.in(1, 7), random_.in(1, 9)};
    if (random_.chance(30)) {
      const shape picture{1, random_.in(3, 8), random_.in(3, 8), 3};
      value x = tkl::cast(g_.input("picture", tkl::u8, picture), tkl::f32) / 255.0 - 0.5;
      if (random_.chance(50)) x = tkl::flip(x, 3);
      if (random_.chance(50)) x = tkl::keep_first(x, g_.input("count", tkl::i32, {1}), 2);
      const value w = weight({random_.in(1, 9), 3, 3, 3});
      keep(tkl::conv2d(x, w, {.stride = random_.in(1, 2), .pad = 1}));
    }
    values_.push_back(
        g_.input("x", tkl::f32, s, random_.chance(25) ? tkl::memory_layout::nchw : tkl::memory_layout::nhwc));
    input_ = values_.back();
    if (random_.chance(40)) values_.push_back(g_.input("y", tkl::f32, s));
  }

  /// The value as a tensor of four axes.
  constexpr value four_axes(value v) {
    const shape s = v.shape();
    if (s.rank == 4) return v;
    if (s.rank < 4) return tkl::reshape(v, shape(1, s.back(2), s.back(1), s.back(0)));
    return tkl::reshape(v, shape(s[0] * s[1], s[2], s[3], s.rank == 6 ? s[4] * s[5] : s[4]));
  }

  constexpr void add_unary() {
    const value x = pick_recent();
    switch (random_.in(0, 25)) {
      case 0:
        return keep(tkl::relu(x));
      case 1:
        return keep(tkl::relu6(x));
      case 2:
        return keep(tkl::leaky_relu(x, 0.1));
      case 3:
        return keep(tkl::elu(x, 0.7));
      case 4:
        return keep(tkl::selu(x));
      case 5:
        return keep(tkl::sigmoid(x));
      case 6:
        return keep(tkl::silu(x));
      case 7:
        return keep(tkl::hard_sigmoid(x, 0.2, 0.5));
      case 8:
        return keep(tkl::hard_swish(x));
      case 9:
        return keep(tkl::tanh(x));
      case 10:
        return keep(tkl::erf(x));
      case 11:
        return keep(tkl::gelu(x));
      case 12:
        return keep(tkl::gelu_tanh(x));
      case 13:
        return keep(tkl::softplus(x));
      case 14:
        return keep(tkl::mish(x));
      case 15:
        return keep(-x);
      case 16:
        return keep(tkl::abs(x));
      case 17:
        return keep(tkl::square(tkl::clip(x, -2.0, 2.0)));
      case 18:
        return keep(tkl::sqrt(tkl::abs(x) + 1.0));
      case 19:
        return keep(tkl::rsqrt(tkl::abs(x) + 1.0));
      case 20:
        return keep(tkl::reciprocal(tkl::abs(x) + 0.5));
      case 21:
        return keep(tkl::exp(tkl::clip(x, -3.0, 1.0)));
      case 22:
        return keep(tkl::log(tkl::abs(x) + 0.5));
      case 23:
        return keep(tkl::pow(tkl::abs(x) + 0.5, 0.75));
      case 24:
        return keep(x * tkl::sigmoid(x));  // fan-out inside a region
      default:
        return keep(tkl::select(tkl::less(x, 1e6), x * 0.5, x));
    }
  }

  constexpr void add_binary() {
    const value x = pick_recent();
    value y = pick();
    if (!tkl::broadcast(x.shape(), y.shape()).compatible) {
      y = random_.chance(50) ? weight({x.shape().back(0)}) : tkl::sigmoid(x) + weight({1});
    }
    switch (random_.in(0, 6)) {
      case 0:
        return keep(x + y);
      case 1:
        return keep(x - y);
      case 2:
        return keep(tkl::tanh(x) * y);
      case 3:
        return keep(x / (tkl::abs(y) + 1.0));
      case 4:
        return keep(tkl::max(x, y));
      case 5:
        return keep(tkl::min(x, y));
      default:
        return keep(tkl::prelu(x, weight({x.shape().back(0)})) * 0.5 + 0.25);
    }
  }

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

  tkl::graph& g_;
  random_source random_;
  std::vector<value> values_{};
  value input_{};
  value argmax_{};  // of the input: of computed values, rounding may decide a tie
  int weights_ = 0;
};

/// The random graph of a seed as a model; every second one asks for Winograd's algorithm.
template <std::uint32_t Seed>
struct random_model {
  static constexpr void build(tkl::graph& g) {
    random_graph_builder(g, Seed).build();
    if (Seed % 2 != 0) ask_for_winograd(g);
  }
};

/// Element `i` of a tensor of the run: the same for a name and an index wherever it is asked for.
inline float random_element(std::string_view name, std::int64_t i) {
  std::uint64_t h = 1469598103934665603ull;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  random_source r(h + static_cast<std::uint64_t>(i) * 7919u);
  return static_cast<float>(r.in(-1000, 1000)) / 1000.0f;
}

}  // namespace tkl_test
