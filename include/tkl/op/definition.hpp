// SPDX-License-Identifier: Apache-2.0
// Contiguous tensors of doubles: what the definitions of the ops read and write. A definition is the plain loop nest of
// an op in double precision; everything faster is compared with it.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/shape.hpp>

namespace tkl {

/// A tensor that a definition reads; `data` is null when an optional operand is absent.
struct real_input {
  const double* data = nullptr;
  tkl::shape shape{};
  explicit constexpr operator bool() const { return data != nullptr; }
  /// Element at four indices of a four-axis tensor.
  constexpr double at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return data[((a * shape[1] + b) * shape[2] + c) * shape[3] + d];
  }
};

/// A tensor that a definition writes.
struct real_output {
  double* data = nullptr;
  tkl::shape shape{};
  constexpr double& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return data[((a * shape[1] + b) * shape[2] + c) * shape[3] + d];
  }
};

/// Counts through all places of a shape in row-major order.
struct place_counter {
  tkl::shape extents{};
  std::int64_t index[max_rank]{};
  constexpr void next() {
    for (int i = extents.rank - 1; i >= 0; --i) {
      if (++index[i] < extents[i]) return;
      index[i] = 0;
    }
  }
};

/// Row-major stride of each axis, 0 where `s` is broadcast to the rank and extents of `to`.
struct broadcast_strides {
  std::int64_t stride[max_rank]{};
  constexpr broadcast_strides(const shape& s, const shape& to) {
    std::int64_t step = 1;
    for (int i = 0; i < s.rank; ++i) {
      const int axis = to.rank - 1 - i;
      stride[axis] = s.back(i) == 1 ? 0 : step;
      step *= s.back(i);
    }
  }
  constexpr std::int64_t offset(const place_counter& p) const {
    std::int64_t at = 0;
    for (int i = 0; i < p.extents.rank; ++i) at += stride[i] * p.index[i];
    return at;
  }
};

}  // namespace tkl
