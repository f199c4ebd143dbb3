// SPDX-License-Identifier: Apache-2.0
// Random chains from a seed: two or three convolutions that are asked to hand rows on to
// each other, with windows of every kind, epilogues, and what the first one reads added to the last one's result where
// the shapes are equal.
#pragma once

#include <array>
#include <cstdint>
#include <tkl/graph.hpp>

#include "support/random_source.hpp"

namespace tkl_test {

class random_chain_builder {
  using value = tkl::value;
  using shape = tkl::shape;

 public:
  constexpr random_chain_builder(tkl::graph& g, std::uint32_t seed) : g_(g), random_(seed) {}

  constexpr void build() {
    constexpr std::array<std::int64_t, 9> sizes{1, 2, 3, 5, 7, 11, 13, 17, 23};
    const std::int64_t images = random_.chance(10) ? 0 : random_.in(1, 2);
    const std::int64_t rows = sizes[static_cast<std::size_t>(random_.in(0, 8))];
    const std::int64_t columns = sizes[static_cast<std::size_t>(random_.in(0, 8))];
    const std::int64_t form = random_.in(0, 4);
    const std::int64_t channels = random_.in(form == 0 ? 2 : 9, 13);  // few would be staged, which is no stage
    const value x = tkl::tanh(g_.input("x", tkl::f32, {images, rows, columns, channels}));
    value y = x;
    if (form == 0) {
      y = pointwise(depthwise(y));
    } else if (form == 1) {
      y = depthwise(pointwise(y));
    } else if (form == 2) {
      y = pointwise(depthwise(pointwise(y)), random_.chance(50) ? channels : random_.in(1, 13));
    } else if (form == 3) {
      y = windowed(windowed(y), random_.chance(50) ? channels : random_.in(1, 13));
    } else {
      y = windowed(depthwise(windowed(y)));
    }
    if (y.valid() && y.shape() == x.shape()) y = x + y;
    g_.output(random_.chance(50) ? tkl::tanh(y) : y);
  }

 private:
  constexpr value weight(const shape& s) {
    tkl::text<16> name;
    name << "w" << ++weights_;
    return g_.weight(name.view(), s);
  }
  constexpr std::int64_t any_channels() { return random_.in(9, 13); }

  /// A window that fits; the first convolution takes its input whole, the others by rows.
  constexpr tkl::conv2d_params window(const shape& x, std::int64_t (&kernel)[2]) {
    tkl::conv2d_params p;
    p.method = tkl::conv_method::direct;
    p.stride = tkl::pair2{random_.in(1, 2), random_.in(1, 2)};
    p.pad = tkl::sides4{random_.in(0, 3), random_.in(0, 2), random_.in(0, 3), random_.in(0, 2)};
    if (random_.chance(25)) p.dilation = tkl::pair2{random_.in(1, 3), random_.in(1, 2)};
    const bool usual = random_.chance(60);
    const std::int64_t side = random_.chance(50) ? 3 : 5;
    for (int axis = 0; axis < 2; ++axis) {
      kernel[axis] = usual ? side : random_.in(1, 4);
      if ((kernel[axis] - 1) * p.dilation[axis] + 1 > x[1 + axis] + p.pad.before(axis) + p.pad.after(axis))
        kernel[axis] = 1;
    }
    return p;
  }
  constexpr value finished(value y) {
    switch (random_.in(0, 4)) {
      case 0:
        return tkl::relu6(y);
      case 1:
        return tkl::hard_swish(y);
      case 2:
        return tkl::silu(y) * weight({y.shape()[3]});
      case 3:
        return tkl::tanh(y + weight({y.shape()[3]}));
      default:
        return y;
    }
  }
  constexpr value convolved(value x, std::int64_t out, std::int64_t (&kernel)[2], tkl::conv2d_params p) {
    p.chain = stages_++ == 0 ? tkl::conv_chaining::never : tkl::conv_chaining::always;
    const value w = weight({out, x.shape()[3] / p.groups, kernel[0], kernel[1]}), bias = weight({out});
    return finished(tkl::conv2d(x, w, bias, p));
  }
  constexpr value pointwise(value x, std::int64_t out = 0) {
    std::int64_t kernel[2]{1, 1};
    return convolved(x, out == 0 ? any_channels() : out, kernel, {});
  }
  constexpr value windowed(value x, std::int64_t out = 0) {
    std::int64_t kernel[2]{};
    const tkl::conv2d_params p = window(x.shape(), kernel);
    return convolved(x, out == 0 ? any_channels() : out, kernel, p);
  }
  constexpr value depthwise(value x) {
    std::int64_t kernel[2]{};
    tkl::conv2d_params p = window(x.shape(), kernel);
    p.groups = x.shape()[3];
    return convolved(x, p.groups * (p.groups > 1 && random_.chance(20) ? 2 : 1), kernel, p);
  }

  tkl::graph& g_;
  random_source random_;
  int weights_ = 0, stages_ = 0;
};

/// The random chain of a seed as a model.
template <std::uint32_t Seed>
struct random_chain {
  static constexpr void build(tkl::graph& g) { random_chain_builder(g, Seed).build(); }
};

}  // namespace tkl_test
