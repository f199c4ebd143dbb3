// SPDX-License-Identifier: Apache-2.0
// A tensor of images as the spatial algorithms see it: a place, extents and strides.
#pragma once

#include <cstdint>

namespace tkl {

/// Batch, rows, columns, channels. Strides count elements; channels are consecutive. A slice along any axis, or a part of
/// a concatenation along channels, is such a view too.
template <class T>
struct nhwc_view {
  T* data = nullptr;
  std::int64_t extent[4]{};
  std::int64_t stride[3]{};

  constexpr bool empty() const { return extent[0] == 0 || extent[1] == 0 || extent[2] == 0 || extent[3] == 0; }
  /// First channel of a pixel.
  constexpr T* pixel(std::int64_t n, std::int64_t row, std::int64_t column) const {
    return data + n * stride[0] + row * stride[1] + column * stride[2];
  }
};

/// The view of a tensor without gaps.
template <class T>
constexpr nhwc_view<T> dense_view(T* data, std::int64_t n, std::int64_t rows, std::int64_t columns, std::int64_t channels) {
  return {data, {n, rows, columns, channels}, {rows * columns * channels, columns * channels, channels}};
}

}  // namespace tkl
