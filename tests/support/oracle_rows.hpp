// SPDX-License-Identifier: Apache-2.0
// What row and element-wise kernels must give: plain loops in double, and tensors that end at a guard page.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tkl/algo/strided4.hpp>
#include <tkl/core/element.hpp>
#include <tkl/target/convert.hpp>
#include <vector>

#include "support/guarded.hpp"

namespace tkl::test {

/// The same numbers in every run: multiples of 2^-8 in [-4, 4), exact in f16.
class numbers {
 public:
  explicit numbers(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  float next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(state_ >> 21) - 1024) / 256.0f;
  }

 private:
  std::uint32_t state_;
};

/// A tensor whose rows lie `gap` elements further apart than their columns need. Its last element, or its first,
/// touches a guard page; gaps hold NaN (or the largest integer), which no kernel may read.
template <class T>
struct rows_tensor {
  guarded<T> memory;
  strided_shape shape;

  rows_tensor(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c, std::int64_t gap = 0,
              guard side = guard::end)
      : memory(static_cast<std::size_t>(n * h * w == 0 ? 0 : n * h * w * (c + gap) - gap), side) {
    shape = {{n, h, w, c}, {h * w * (c + gap), w * (c + gap), c + gap}};
    for (T& v : memory) v = narrow<T>(std::is_integral_v<T> ? 127.0f : std::numeric_limits<float>::quiet_NaN());
  }
  T& at(std::int64_t row, std::int64_t column) {
    return memory[static_cast<std::size_t>(row * shape.stride[2] + column)];
  }
  double value(std::int64_t row, std::int64_t column) { return widen<double>(at(row, column)); }
  void fill(std::uint32_t seed) {
    numbers source(seed);
    for (std::int64_t r = 0; r < shape.rows(); ++r)
      for (std::int64_t c = 0; c < shape.extent[3]; ++c) at(r, c) = narrow<T>(source.next());
  }
  strided4<const T> in() const { return {memory.data(), shape}; }
  strided4<T> out() { return {memory.data(), shape}; }
};

/// Row lengths around one and two vectors of `width` lanes: all up to 2 * width + 1, of wide vectors a choice, since
/// these often run in an emulator.
inline std::vector<std::int64_t> tail_lengths(std::int64_t width) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 2 * width + 1; ++n)
    if (width < 16 || n < 3 || n % 8 < 2 || n % 8 == 7) lengths.push_back(n);
  return lengths;
}

/// An executor that cuts every loop into two unequal parts.
struct two_parts {
  static int workers() { return 2; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    if (n / 3 > 0) f(std::int64_t{0}, n / 3, 0);
    if (n > n / 3) f(n / 3, n, 1);
  }
};

inline std::vector<double> oracle_softmax(const std::vector<double>& x, bool logarithm) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double v : x) largest = v != v || v > largest ? v : largest;
  for (double v : x) sum += std::exp(v - largest);
  std::vector<double> y;
  for (double v : x) y.push_back(logarithm ? v - largest - std::log(sum) : std::exp(v - largest) / sum);
  return y;
}

inline std::vector<double> oracle_layer_norm(const std::vector<double>& x, double eps) {
  const double n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (double v : x) mean += v / n;
  for (double v : x) variance += (v - mean) * (v - mean) / n;
  std::vector<double> y;
  for (double v : x) y.push_back((v - mean) / std::sqrt(variance + eps));
  return y;
}

}  // namespace tkl::test
