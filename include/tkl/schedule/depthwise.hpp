// SPDX-License-Identifier: Apache-2.0
// How a depthwise convolution runs: which filter its code is made for, and how much it keeps at hand.
#pragma once

#include <cstdint>

namespace tkl {

/// Rows, columns and column stride of the filter that the code is specialised on (columns dilated by 1, one output
/// channel per input channel), or all 0: any filter, known at run time.
struct depthwise_schedule {
  int rows = 0;
  int columns = 0;
  int stride = 0;
  int tile = 8;  // neighbouring outputs of a row whose sums are kept in registers at once
  int group =
      2;  // output rows that are computed side by side, so that they find their common input rows in the L1 cache

  constexpr bool specialised() const { return columns != 0; }
  /// Vector registers of the inner loop: sums, one row of the filter, one input.
  constexpr int registers() const { return specialised() ? tile + columns + 1 : tile + 2; }
  constexpr bool operator==(const depthwise_schedule&) const = default;
};

/// Largest `group`.
inline constexpr int max_depthwise_group = 8;

template <depthwise_schedule S>
concept valid_depthwise_schedule = S.tile >= 1 && S.tile <= 16 && S.group >= 1 &&
                                   S.group <= max_depthwise_group&& S.rows >= 0 && S.columns >= 0 &&
                                   (S.columns == 0 || S.stride >= 1);

/// Whether the inner loop stays in the registers of Arch.
template <depthwise_schedule S, class Arch>
concept depthwise_fits_registers = S.registers() <= Arch::registers;

/// The schedule for a filter: specialised for 3x3 and 5x5 with a column stride of 1 or 2, any other at run time. A
/// larger filter shares more input rows between output rows; many rows at a power-of-two pitch displace each other in
/// the cache. `tile`: outputs at once of a specialised one, Arch::depthwise_tile.
constexpr depthwise_schedule depthwise_schedule_for(std::int64_t kernel_rows, std::int64_t kernel_columns,
                                                    std::int64_t stride_columns, std::int64_t dilation_columns,
                                                    std::int64_t multiplier, int tile) {
  const bool known = kernel_rows == kernel_columns && (kernel_rows == 3 || kernel_rows == 5);
  if (!known || stride_columns < 1 || stride_columns > 2 || dilation_columns != 1 || multiplier != 1) return {};
  return {.rows = static_cast<int>(kernel_rows),
          .columns = static_cast<int>(kernel_columns),
          .stride = static_cast<int>(stride_columns),
          .tile = tile,
          .group = kernel_rows > 3 ? 4 : 2};
}

}  // namespace tkl
