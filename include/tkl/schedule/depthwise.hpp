// SPDX-License-Identifier: Apache-2.0
// How a depthwise convolution runs: which filter its code is made for, and how many pixels it keeps in registers.
#pragma once

#include <cstdint>

namespace tkl {

/// Rows, columns and column stride of the filter that the code is specialised on (columns dilated by 1, one output
/// channel per input channel), or all 0: any filter, known at run time. `tile`: neighbouring outputs of a row whose
/// accumulators are kept in registers at once, a power of two.
struct depthwise_schedule {
  int rows = 0;
  int columns = 0;
  int stride = 0;
  int tile = 8;

  constexpr bool specialised() const { return columns != 0; }
  /// Vector registers of the inner loop: accumulators, one row of the filter, one input.
  constexpr int registers() const { return specialised() ? tile + columns + 1 : tile + 2; }
  constexpr bool operator==(const depthwise_schedule&) const = default;
};

/// Whether the inner loop stays in the registers of Arch.
template <depthwise_schedule S, class Arch>
concept depthwise_fits_registers = S.registers() <= Arch::registers;

/// The schedule for a filter: specialised for 3x3 and 5x5 with a column stride of 1 or 2, any other at run time.
constexpr depthwise_schedule depthwise_schedule_for(std::int64_t kernel_rows, std::int64_t kernel_columns,
                                                    std::int64_t stride_columns, std::int64_t dilation_columns,
                                                    std::int64_t multiplier) {
  const bool square = kernel_rows == kernel_columns && (kernel_rows == 3 || kernel_rows == 5);
  if (!square || stride_columns < 1 || stride_columns > 2 || dilation_columns != 1 || multiplier != 1) return {};
  return {.rows = static_cast<int>(kernel_rows),
          .columns = static_cast<int>(kernel_columns),
          .stride = static_cast<int>(stride_columns)};
}

}  // namespace tkl
