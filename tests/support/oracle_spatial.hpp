// SPDX-License-Identifier: Apache-2.0
// What the tests of spatial algorithms share: images with gaps between guard pages, random values, an executor that
// splits and shuffles, and plain loop nests in double precision, written from the definitions.
#pragma once

#include <doctest/doctest.h>

#include <cases/windows.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <support/guarded.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/core/element.hpp>
#include <type_traits>
#include <vector>

namespace tkl::test {

template <class T>
T stored(double v) {
  if constexpr (std::is_same_v<T, half>) {
    return to_half(static_cast<float>(v));
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return to_bfloat16(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}
template <class T>
double number(T v) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(v);
  } else {
    return static_cast<double>(to_float(v));
  }
}

/// A tensor [n, rows, columns, channels] in guarded memory. `gap` elements of poison (NaN, or the largest integer)
/// follow each pixel, row and image; the last element lies flush against the forbidden page, or the first with
/// guard::start.
template <class T>
class image {
 public:
  image(std::int64_t n, std::int64_t rows, std::int64_t columns, std::int64_t channels, std::int64_t gap = 0,
        guard side = guard::end)
      : extent_{n, rows, columns, channels},
        stride_{0, 0, channels + gap},
        memory_(size_of(n, rows, columns, channels, gap, stride_), side) {
    for (auto& e : memory_) e = poison();
  }
  static T poison() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return std::numeric_limits<T>::quiet_NaN();
    if constexpr (std::is_same_v<T, half>) return half{0x7e00};
    if constexpr (std::is_same_v<T, bfloat16>) return bfloat16{0x7fc0};
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
    return T{};
  }
  strided_shape shape() const {
    return {{extent_[0], extent_[1], extent_[2], extent_[3]}, {stride_[0], stride_[1], stride_[2]}};
  }
  strided4<T> view() { return {memory_.data(), shape()}; }
  strided4<const T> const_view() const { return {memory_.data(), shape()}; }
  T& operator()(std::int64_t n, std::int64_t r, std::int64_t c, std::int64_t channel) {
    return memory_[static_cast<std::size_t>(n * stride_[0] + r * stride_[1] + c * stride_[2] + channel)];
  }
  const T& operator()(std::int64_t n, std::int64_t r, std::int64_t c, std::int64_t channel) const {
    return memory_[static_cast<std::size_t>(n * stride_[0] + r * stride_[1] + c * stride_[2] + channel)];
  }
  /// The element as a double, 0 outside of the image: what zero padding means.
  double padded(std::int64_t n, std::int64_t r, std::int64_t c, std::int64_t channel) const {
    return inside(r, c) ? number((*this)(n, r, c, channel)) : 0.0;
  }
  bool inside(std::int64_t r, std::int64_t c) const { return r >= 0 && r < extent_[1] && c >= 0 && c < extent_[2]; }
  std::int64_t extent(int axis) const { return extent_[axis]; }
  const std::int64_t* strides() const { return stride_; }
  const T* data() const { return memory_.data(); }

  template <class F>
  void for_each(const F& f) const {
    for (std::int64_t n = 0; n < extent_[0]; ++n)
      for (std::int64_t r = 0; r < extent_[1]; ++r)
        for (std::int64_t c = 0; c < extent_[2]; ++c)
          for (std::int64_t k = 0; k < extent_[3]; ++k) f(n, r, c, k);
  }
  void fill(random_numbers& random, double scale = 1.0) {
    for_each([&](auto n, auto r, auto c, auto k) { (*this)(n, r, c, k) = stored<T>(scale * random()); });
  }
  template <class F>
  void fill_with(const F& f) {
    for_each([&](auto n, auto r, auto c, auto k) { (*this)(n, r, c, k) = stored<T>(f(n, r, c, k)); });
  }
  /// Whether every gap still holds the poison.
  bool gaps_intact() {
    std::vector<bool> used(memory_.size(), false);
    for_each([&](auto n, auto r, auto c, auto k) {
      used[static_cast<std::size_t>(n * stride_[0] + r * stride_[1] + c * stride_[2] + k)] = true;
    });
    const T p = poison();
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (!used[i] && std::memcmp(&memory_[i], &p, sizeof(T)) != 0) return false;
    return memory_.intact();
  }
  bool same_bits(const image& other) const {
    bool same = true;
    for_each([&](auto n, auto r, auto c, auto k) {
      same = same && std::memcmp(&(*this)(n, r, c, k), &other(n, r, c, k), sizeof(T)) == 0;
    });
    return same;
  }

 private:
  static std::size_t size_of(std::int64_t n, std::int64_t rows, std::int64_t columns, std::int64_t channels,
                             std::int64_t gap, std::int64_t (&stride)[3]) {
    stride[1] = columns * stride[2] + gap;
    stride[0] = rows * stride[1] + gap;
    if (n * rows * columns * channels == 0) return 0;
    return static_cast<std::size_t>((n - 1) * stride[0] + (rows - 1) * stride[1] + (columns - 1) * stride[2] +
                                    channels);
  }
  std::int64_t extent_[4];
  std::int64_t stride_[3];
  guarded<T> memory_;
};

/// Cuts a loop into `parts` ranges and runs them from the last to the first, each as another worker.
struct splitting {
  int parts = 1;
  int workers() const { return parts; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    for (int part = parts - 1; part >= 0; --part) {
      const std::int64_t begin = n * part / parts, end = n * (part + 1) / parts;
      if (begin < end) f(begin, end, part);
    }
  }
};

/// Largest |got - want(n, r, c, k)|, each divided by max(1, |want|); NaN agrees with NaN only.
template <class T, class F>
double largest_error(const image<T>& got, const F& want) {
  double worst = 0.0;
  got.for_each([&](auto n, auto r, auto c, auto k) {
    const double expected = want(n, r, c, k), actual = number(got(n, r, c, k));
    if (std::isnan(expected) != std::isnan(actual)) {
      worst = std::numeric_limits<double>::infinity();
    } else if (!std::isnan(expected) && expected != actual) {
      worst = std::max(worst, std::fabs(actual - expected) / std::max(1.0, std::fabs(expected)));
    }
  });
  return worst;
}

/// A window that slides over an image: what convolutions and pools have in common.
/// Depthwise convolution of one output element; weights [channels, rows, columns], channel o reads input o /
/// multiplier.
template <class T>
double depthwise_oracle(const image<T>& x, const std::vector<float>& w, const std::vector<float>& bias,
                        const window& win, std::int64_t multiplier, std::int64_t n, std::int64_t r, std::int64_t c,
                        std::int64_t o) {
  double sum = bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(o)]);
  for (std::int64_t u = 0; u < win.kernel[0]; ++u)
    for (std::int64_t v = 0; v < win.kernel[1]; ++v)
      sum += x.padded(n, r * win.stride[0] - win.pad[0] + u * win.dilation[0],
                      c * win.stride[1] - win.pad[1] + v * win.dilation[1], o / multiplier) *
             static_cast<double>(w[static_cast<std::size_t>((o * win.kernel[0] + u) * win.kernel[1] + v)]);
  return sum;
}

/// Pooling of one output element: largest (NaN if any is NaN), or average over the cells inside (exclude) or over the
/// cells inside the padded input (include).
template <class T>
double pool_oracle(const image<T>& x, const window& win, bool largest, bool include_pad, std::int64_t n, std::int64_t r,
                   std::int64_t c, std::int64_t k) {
  double sum = 0.0, best = -std::numeric_limits<double>::infinity();
  std::int64_t count = 0;
  bool nan = false;
  for (std::int64_t u = 0; u < win.kernel[0]; ++u)
    for (std::int64_t v = 0; v < win.kernel[1]; ++v) {
      const std::int64_t row = r * win.stride[0] - win.pad[0] + u * win.dilation[0];
      const std::int64_t column = c * win.stride[1] - win.pad[1] + v * win.dilation[1];
      if (row < x.extent(1) + win.pad[2] && column < x.extent(2) + win.pad[3] && include_pad) ++count;
      if (!x.inside(row, column)) continue;
      if (!include_pad) ++count;
      const double value = number(x(n, row, column, k));
      sum += value;
      if (std::isnan(value)) nan = true;
      if (value > best) best = value;
    }
  if (largest) return nan ? std::numeric_limits<double>::quiet_NaN() : best;
  return sum / static_cast<double>(count);
}

}  // namespace tkl::test
