// SPDX-License-Identifier: Apache-2.0
// Convolutions that hand rows on to each other: which rows of each stage a band of the result needs, and how many of
// them lie in memory at once. The same functions for the kernel and the passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>

namespace tkl {

inline constexpr int max_stages = 3;

/// Rows [first, last).
struct row_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  TKL_TAGGED constexpr std::int64_t count() const { return last - first; }
};

/// One stage: the rows of its result, and how their windows meet the rows of its input.
struct chain_stage {
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t kernel = 1, stride = 1, dilation = 1, pad = 0;

  TKL_TAGGED constexpr std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

/// The stages of one chain. All but the last keep a window of rows in scratch.
struct chain_rows {
  chain_stage stage[max_stages]{};
  int stages = 0;
  std::int64_t in_rows = 0;  // of the first stage's input
  std::int64_t band = 1;     // rows of the result that are computed together

  /// Rows of the input of stage i that exist among those which rows `r` of its result meet.
  TKL_TAGGED constexpr row_range met(int i, row_range r) const {
    const chain_stage& s = stage[i];
    const std::int64_t before = i == 0 ? in_rows : stage[i - 1].rows, origin = r.first * s.stride - s.pad;
    const std::int64_t end = r.count() == 0 ? origin : (r.last - 1) * s.stride - s.pad + s.reach();
    const std::int64_t zero = 0, first = (std::min)(before, (std::max)(zero, origin));
    return {first, (std::max)(first, (std::min)(before, end))};
  }
  /// Rows of stage i that band `b` needs.
  TKL_TAGGED constexpr row_range needed(int i, std::int64_t b) const {
    row_range r{b * band, (std::min)(stage[stages - 1].rows, (b + 1) * band)};
    for (int k = stages - 1; k > i; --k) r = met(k, r);
    return r;
  }
  /// Those of them that no band before it needs.
  TKL_TAGGED constexpr row_range fresh(int i, std::int64_t b) const {
    row_range r = needed(i, b);
    if (b > 0) r.first = (std::max)(r.first, needed(i, b - 1).last);
    return r;
  }
  /// The band, at most `limit`, that computes row `row` of stage i.
  TKL_TAGGED constexpr std::int64_t band_of(int i, std::int64_t row, std::int64_t limit) const {
    std::int64_t b = 0;
    while (b < limit && needed(i, b).last <= row) ++b;
    return b;
  }
  /// The most rows of stage i that a band needs.
  TKL_TAGGED constexpr std::int64_t most_rows(int i) const {
    std::int64_t n = (std::min)(band, stage[stages - 1].rows);
    for (int k = stages - 1; k > i; --k)
      n = n == 0 ? 0 : (std::min)(stage[k - 1].rows, (n - 1) * stage[k].stride + stage[k].reach());
    return n;
  }
  /// Bytes of the window of stage i, and of all windows.
  TKL_TAGGED constexpr std::int64_t window_bytes(int i) const {
    return round_up(most_rows(i) * stage[i].row_bytes, std::int64_t{64});
  }
  TKL_TAGGED constexpr std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (int i = 0; i + 1 < stages; ++i) sum += window_bytes(i);
    return sum;
  }
};

}  // namespace tkl
