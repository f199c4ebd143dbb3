// SPDX-License-Identifier: Apache-2.0
// Oracles of contractions: naive loops in double, and the bound of what an f32 sum in any order may differ from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <tkl/algo/conv2d.hpp>
#include <tkl/target/reference.hpp>
#include <type_traits>
#include <vector>

#include "support/guarded.hpp"

namespace tkl::test {

/// A sum of products, the sum of their magnitudes, and how many there are.
struct exact_sum {
  double sum = 0;
  double magnitude = 0;
  std::int64_t terms = 0;

  void add(double a, double b) {
    sum += a * b;
    magnitude += std::fabs(a * b);
    ++terms;
  }
};

/// Largest admissible error of a sum of n products in the arithmetic of machine M: (n + 8) u * sum of |a||b|.
template <class M>
double error_bound(const exact_sum& s) {
  const double unit = std::is_same_v<M, reference_machine> ? 0x1p-52 : 0x1p-24;
  return static_cast<double>(s.terms + 8) * unit * s.magnitude;
}

/// Small repeatable pseudo-random numbers in [-1, 1), multiples of 2^-10 so that every storage type above 8 bits is
/// exact.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  double next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<double>(static_cast<std::int64_t>((state_ >> 20) % 2048) - 1024) / 1024.0;
  }

 private:
  std::uint64_t state_;
};

template <class T>
T stored(double v) {
  return narrow<T>(v);
}
template <class T>
double read(T v) {
  return widen<double>(v);
}

template <class T>
void fill(T* p, std::size_t n, std::uint64_t seed) {
  numbers random(seed);
  for (std::size_t i = 0; i < n; ++i)
    p[i] = stored<T>(std::is_same_v<T, std::uint8_t> ? 128 + 100 * random.next() : random.next());
}

/// A tensor between guard pages. Gaps between its rows hold NaN (255 for bytes): reading one spoils the result, and
/// writing one is seen by gaps_intact().
template <class T>
class guarded_tensor {
 public:
  guarded_tensor(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c, std::int64_t gap = 0,
                 guard side = guard::end)
      : shape_{{n, h, w, c}, {h * w * (c + gap), w * (c + gap), c + gap}},
        memory_(static_cast<std::size_t>(n * h * w == 0 ? 0 : (n * h * w - 1) * (c + gap) + c), side, alignof(T)) {
    for (T& x : memory_) x = stored<T>(std::nan(""));
  }
  strided4<T> view() { return {memory_.data(), shape_}; }
  strided4<const T> const_view() const { return {memory_.data(), shape_}; }
  void fill(std::uint64_t seed) {
    numbers random(seed);
    visit([&](T& x) { x = stored<T>(std::is_same_v<T, std::uint8_t> ? 128 + 100 * random.next() : random.next()); });
  }
  template <class F>
  void visit(F f) {
    const auto& e = shape_.extent;
    for (std::int64_t n = 0; n < e[0]; ++n)
      for (std::int64_t h = 0; h < e[1]; ++h)
        for (std::int64_t w = 0; w < e[2]; ++w)
          for (std::int64_t c = 0; c < e[3]; ++c) f(at(n, h, w, c));
  }
  T& at(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    const auto& s = shape_.stride;
    return memory_[static_cast<std::size_t>(n * s[0] + h * s[1] + w * s[2] + c)];
  }
  std::size_t size() const { return memory_.size(); }
  const T* data() const { return memory_.data(); }
  /// Whether every element between the rows is still the NaN it was at first.
  bool gaps_intact() {
    const std::int64_t row = shape_.stride[2];
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (static_cast<std::int64_t>(i) % row >= shape_.extent[3] && !std::isnan(read(memory_[i]))) return false;
    return true;
  }

 private:
  strided_shape shape_;
  guarded<T> memory_;
};

/// An executor of several workers that runs uneven ranges in a muddled order in this thread.
struct uneven_executor {
  static constexpr int workers() { return 3; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    const std::int64_t first = n / 5, second = n / 5 + (n + 1) / 2;
    if (second < n) f(second, n, 1);
    if (first > 0) f(std::int64_t{0}, first, 2);
    if (first < second && first < n) f(first, second < n ? second : n, 0);
  }
};

/// A convolution by its definition. x(n, h, w, c) is read by a function; weights are O,I/g,kH,kW.
template <class X>
exact_sum conv2d_at(const X& x, const strided_shape& in, std::int64_t out_channels, const double* weights,
                    const conv2d_geometry& g, std::int64_t n, std::int64_t oh, std::int64_t ow, std::int64_t o) {
  exact_sum s;
  const std::int64_t group_in = in.extent[3] / g.groups, group_out = out_channels / g.groups, group = o / group_out;
  for (std::int64_t i = 0; i < group_in; ++i)
    for (std::int64_t u = 0; u < g.kernel[0]; ++u)
      for (std::int64_t v = 0; v < g.kernel[1]; ++v) {
        const std::int64_t h = oh * g.stride[0] - g.pad[0] + u * g.dilation[0];
        const std::int64_t w = ow * g.stride[1] - g.pad[1] + v * g.dilation[1];
        const double weight = weights[((o * group_in + i) * g.kernel[0] + u) * g.kernel[1] + v];
        if (h < 0 || h >= in.extent[1] || w < 0 || w >= in.extent[2]) {
          s.add(0, weight);
        } else {
          s.add(x(n, h, w, group * group_in + i), weight);
        }
      }
  return s;
}

/// All outputs of a transposed convolution by its definition, which scatters. Weights are I,O/g,kH,kW.
template <class X>
std::vector<exact_sum> conv_transpose2d_all(const X& x, const strided_shape& in, const strided_shape& out,
                                            const double* weights, const conv2d_geometry& g) {
  const auto& e = out.extent;
  std::vector<exact_sum> y(static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]));
  const std::int64_t group_in = in.extent[3] / g.groups, group_out = e[3] / g.groups;
  for (std::int64_t n = 0; n < in.extent[0]; ++n)
    for (std::int64_t h = 0; h < in.extent[1]; ++h)
      for (std::int64_t w = 0; w < in.extent[2]; ++w)
        for (std::int64_t i = 0; i < in.extent[3]; ++i)
          for (std::int64_t o = 0; o < group_out; ++o)
            for (std::int64_t u = 0; u < g.kernel[0]; ++u)
              for (std::int64_t v = 0; v < g.kernel[1]; ++v) {
                const std::int64_t oh = h * g.stride[0] - g.pad[0] + u * g.dilation[0];
                const std::int64_t ow = w * g.stride[1] - g.pad[1] + v * g.dilation[1];
                if (oh < 0 || oh >= e[1] || ow < 0 || ow >= e[2]) continue;
                const std::int64_t channel = i / group_in * group_out + o;
                y[static_cast<std::size_t>(((n * e[1] + oh) * e[2] + ow) * e[3] + channel)].add(
                    x(n, h, w, i), weights[((i * group_out + o) * g.kernel[0] + u) * g.kernel[1] + v]);
              }
  return y;
}

/// Memory with the alignment that packed weights and scratch ask for, exactly as large as asked, then a guard page.
template <class T>
guarded<T> aligned_memory(std::int64_t count) {
  return guarded<T>(static_cast<std::size_t>(count), guard::end, 64);
}

}  // namespace tkl::test
