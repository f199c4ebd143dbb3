// SPDX-License-Identifier: Apache-2.0
// A tensor as kernels see it: four extents, the strides of the three outer axes, consecutive columns.
#pragma once

#include <cstdint>

namespace tkl {

/// Extents and strides, in elements, of a tensor with axes n, h, w, c (images; or outer batch, inner batch, row,
/// column). A stride may be anything, so that a slice, a part of a concatenation or a broadcast axis (stride 0) is one
/// too.
struct strided_shape {
  std::int64_t extent[4]{1, 1, 1, 1};
  std::int64_t stride[3]{};

  constexpr std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
};

/// The shape of a tensor without gaps.
constexpr strided_shape contiguous(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
  return {{n, h, w, c}, {h * w * c, w * c, c}};
}

/// A place in memory with a shape.
template <class T>
struct strided4 {
  T* data = nullptr;
  strided_shape shape{};
};

}  // namespace tkl
