// SPDX-License-Identifier: Apache-2.0
// What random graphs are made from: the inputs, the values so far, weights, and every element-wise function.
//
// Values stay of moderate size (functions are bounded or fed with bounded arguments), and floor, round and comparisons
// stand in expressions that are continuous, so that two correct programs agree within rounding.
#pragma once

#include <cstdint>
#include <tkl/graph.hpp>
#include <vector>

#include "support/random_source.hpp"

namespace tkl_test {

using tkl::shape;
using tkl::value;

class random_graph_values {
 public:
  constexpr random_graph_values(tkl::graph& g, std::uint32_t seed) : g_(g), random_(seed) {}

 protected:
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
    switch (random_.in(0, 34)) {
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
      case 25:
        return keep(tkl::affine(x, 0.75, -0.25));
      case 26: {
        const value bounded = tkl::clip(x, -4.0, 4.0), rest = bounded - tkl::floor(bounded);
        return keep(rest * (1.0 - rest));
      }
      case 27: {
        const value bounded = tkl::clip(x, -4.0, 4.0);
        return keep(tkl::abs(bounded - tkl::round(bounded)));
      }
      case 28:
        return keep(tkl::select(tkl::less_equal(x, -0.25), x * 0.5 - 0.125, x));
      case 29:
        return keep(tkl::select(tkl::greater(x, 0.25), x, x * 0.5 + 0.125));
      case 30:
        return keep((x - 0.5) * tkl::greater_equal(x, 0.5));
      case 31:
        return keep(tkl::select(tkl::equal(tkl::relu(x), 0.0), x * 0.25, x));
      case 32:
        return keep(x * tkl::not_equal(tkl::relu(x), 0.0));
      case 33:
        return keep(newer_function(x));
      default:
        return keep(tkl::select(tkl::less(x, 1e6), x * 0.5, x));
    }
  }

  /// A function that stands behind select, the last one named here, in function_list; its argument lies between 0.55
  /// and 0.95, where few functions jump. The identity while there is none.
  constexpr value newer_function(value x) {
    constexpr int first = tkl::function_index<tkl::fn::select> + 1, last = tkl::function_list::size - 1;
    if (first > last) return x;
    const auto f = static_cast<int>(random_.in(first, last));
    const value operands[] = {tkl::sigmoid(x) * 0.4 + 0.55, g_.literal(0.25), g_.literal(0.5)};
    return tkl::detail::map_node(tkl::function_list::names[f], f, operands, tkl::function_list::arities[f]);
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

  tkl::graph& g_;
  random_source random_;
  std::vector<value> values_{};
  value input_{};
  value argmax_{};  // of the input: of computed values, rounding may decide a tie
  int weights_ = 0;
};

}  // namespace tkl_test
