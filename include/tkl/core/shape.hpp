// SPDX-License-Identifier: Apache-2.0
// Shapes: up to six extents, outermost first, with broadcasting and checked sizes.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/text.hpp>

namespace tkl {

/// An extent that is known only at run time.
inline constexpr std::int64_t dyn = -1;

inline constexpr int max_rank = 6;

/// Extents of a tensor, outermost first. Rank 0 is a scalar with one element.
struct shape {
  std::int64_t extent[max_rank]{};
  int rank = 0;

  constexpr shape() = default;
  template <class... E>
  requires(sizeof...(E) > 0 && sizeof...(E) <= max_rank) constexpr shape(E... e)
      : extent{static_cast<std::int64_t>(e)...}, rank(static_cast<int>(sizeof...(E))) {}  // NOLINT

  constexpr std::int64_t operator[](int axis) const { return extent[axis]; }
  constexpr std::int64_t& operator[](int axis) { return extent[axis]; }
  /// Extent counted from the innermost axis: back(0) is the last; 1 beyond the rank.
  constexpr std::int64_t back(int axis) const { return axis < rank ? extent[rank - 1 - axis] : 1; }
  TKL_TAGGED constexpr bool operator==(const shape& other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (extent[i] != other.extent[i]) return false;
    return true;
  }
  /// Number of elements, checked; invalid when the product leaves 64 bits or an extent is negative.
  TKL_TAGGED constexpr checked elements() const {
    checked n = 1;
    bool overflows = false, negative = false;
    for (int i = 0; i < rank; ++i) {
      overflows |= multiply_overflows(n.value, extent[i], &n.value);
      negative |= extent[i] < 0;
    }
    n.valid = !overflows && !negative;
    return n;
  }
  constexpr bool is_static() const {
    for (int i = 0; i < rank; ++i)
      if (extent[i] < 0) return false;
    return true;
  }
};

/// Appends "1x56x56x64" ("scalar" for rank 0, "?" for a run-time extent).
template <std::size_t N>
TKL_COLD constexpr text<N>& operator<<(text<N>& t, const shape& s) {
  if (s.rank == 0) return t << "scalar";
  for (int i = 0; i < s.rank; ++i) {
    if (i) t << 'x';
    if (s[i] == dyn) {
      t << '?';
    } else {
      t << s[i];
    }
  }
  return t;
}

/// An axis counted from the end when negative; -1 when it is out of range.
constexpr int normalise_axis(int axis, int rank) {
  const int a = axis < 0 ? axis + rank : axis;
  return a >= 0 && a < rank ? a : -1;
}

/// Result of broadcasting (NumPy rule: align at the last axis; extents are equal or one of them is 1).
struct broadcast_result {
  shape out{};
  bool compatible = true;
};
TKL_TAGGED constexpr broadcast_result broadcast(const shape& a, const shape& b) {
  broadcast_result r;
  r.out.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 0; i < r.out.rank; ++i) {
    const std::int64_t x = a.back(i), y = b.back(i);
    if (x != y && x != 1 && y != 1) r.compatible = false;
    r.out[r.out.rank - 1 - i] = x == 1 ? y : x;
  }
  return r;
}

}  // namespace tkl
