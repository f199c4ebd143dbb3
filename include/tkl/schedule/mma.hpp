// SPDX-License-Identifier: Apache-2.0
// How a contraction is cut for matrix instructions of warps: the tile of a block, the tile of a warp, and how many
// slices of the depth are under way at once.
#pragma once

#include <cstdint>

namespace tkl {

/// How a contraction multiplies: in f32 by every thread, or in tensor cores. There operands are rounded to what the
/// instruction takes, which is the input's type where that has 16 bits, else tf32; or f32 operands are split into two
/// numbers of tf32 each, whose products are summed (16-bit inputs stay with f32).
enum class cuda_product : std::uint8_t { f32, rounded, split };

/// A block computes `rows` by `columns` sums. Its warps form a grid of warp_rows by warp_columns. `stages` slices of
/// the depth lie in shared memory, each as long as 128 bytes of the first operand hold. An instruction takes 16 rows, 8
/// columns, and 32 bytes of the depth.
struct mma_schedule {
  int rows = 64;
  int columns = 64;
  int stages = 3;
  int warp_rows = 2;
  int warp_columns = 2;
  constexpr bool operator==(const mma_schedule&) const = default;

  constexpr int threads() const { return 32 * warp_rows * warp_columns; }
  constexpr int row_tiles() const { return rows / warp_rows / 16; }          // of a warp
  constexpr int column_tiles() const { return columns / warp_columns / 8; }  // of a warp
  /// Words of one stage where 16 bytes hold `vector` elements of the first operand: 32 for each of its rows, and the
  /// second operand in f32.
  constexpr int stage_words(int vector) const { return 32 * rows + 8 * vector * columns; }
  constexpr int shared_bytes(int vector) const { return 4 * stages * stage_words(vector); }
};

/// A schedule is usable at all: tiles are whole, lines in shared memory are whole lines of its 32 banks, every thread
/// copies as much as the others, and its copies of the second operand lie whole exchanges of vectors (8 lines) apart.
template <mma_schedule S>
concept valid_mma_schedule = S.stages >= 2 && S.columns % 32 == 0 && S.row_tiles() >= 1 && S.column_tiles() >= 1 &&
                             S.rows == 16 * S.row_tiles() * S.warp_rows&& S.columns ==
                                 8 * S.column_tiles() * S.warp_columns
                             && 8 * S.rows % S.threads() == 0 && 8 * S.columns % S.threads() == 0;

/// The stages fit the shared memory that a block may have on Arch, for 16-bit inputs, too.
template <mma_schedule S, class Arch>
concept fits_shared_memory = valid_mma_schedule<S> && S.shared_bytes(8) <= Arch::facts.shared_bytes;

/// The sums of a thread take at most half of its registers.
template <mma_schedule S, class Arch>
concept mma_fits_registers = valid_mma_schedule<S> && 4 * S.row_tiles() * S.column_tiles() <= Arch::facts.registers / 2;

}  // namespace tkl
