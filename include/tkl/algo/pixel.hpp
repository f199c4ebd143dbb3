// SPDX-License-Identifier: Apache-2.0
// Places in a strided4, and ranges of indices that stay inside an axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/strided4.hpp>
#include <tkl/core/checked.hpp>

namespace tkl {

/// First column (channel) of row (pixel) n, h, w.
template <class T>
constexpr T* pixel(const strided4<T>& t, std::int64_t n, std::int64_t h, std::int64_t w) {
  return t.data + n * t.shape.stride[0] + h * t.shape.stride[1] + w * t.shape.stride[2];
}

template <class T>
constexpr bool is_empty(const strided4<T>& t) {
  return t.shape.rows() == 0 || t.shape.extent[3] == 0;
}

/// Indices [first, last).
struct index_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  constexpr std::int64_t count() const { return last - first; }
  constexpr bool holds(std::int64_t i) const { return i >= first && i < last; }
};

/// Those i in [0, count) with 0 <= origin + i * step < extent; step > 0.
constexpr index_range indices_inside(std::int64_t origin, std::int64_t step, std::int64_t extent, std::int64_t count) {
  const std::int64_t first = origin >= 0 ? 0 : (std::min)(count, ceil_div(-origin, step));
  const std::int64_t last = origin >= extent ? 0 : (std::min)(count, ceil_div(extent - origin, step));
  return {first, (std::max)(first, last)};
}

}  // namespace tkl
