// SPDX-License-Identifier: Apache-2.0
// How a contraction is cut for matrix instructions of warps: the tile of a block, the tile of a warp, and how many
// slices of the depth are under way at once.
#pragma once

#include <cstdint>

namespace tkl {

/// How f32 operands are multiplied: in f32 by every thread, or in tensor cores; there rounded to tf32 once, or split
/// into two numbers of tf32 whose products are summed.
enum class cuda_product : std::uint8_t { f32, tf32, tf32_thrice };

/// A block computes `rows` by `columns` sums in slices of `depth` products, `stages` of which lie in shared memory. Its
/// warps form a grid of warp_rows by warp_columns. An instruction takes 16 rows, 8 columns, 8 products.
struct mma_schedule {
  int rows = 64;
  int columns = 64;
  int depth = 32;
  int stages = 3;
  int warp_rows = 2;
  int warp_columns = 2;
  constexpr bool operator==(const mma_schedule&) const = default;

  constexpr int threads() const { return 32 * warp_rows * warp_columns; }
  constexpr int row_tiles() const { return rows / warp_rows / 16; }          // of a warp
  constexpr int column_tiles() const { return columns / warp_columns / 8; }  // of a warp
  constexpr int stage_floats() const { return (rows + columns) * depth; }
  constexpr int shared_bytes() const { return 4 * stages * stage_floats(); }
};

/// A schedule is usable at all: tiles are whole, the slices in shared memory are whole lines of 32 banks, and every
/// thread copies whole vectors of four.
template <mma_schedule S>
concept valid_mma_schedule = S.stages >= 2 && S.depth % 32 == 0 && S.columns % 32 == 0 &&
                             S.row_tiles() >= 1 && S.column_tiles() >= 1 &&
                             S.rows == 16 * S.row_tiles() * S.warp_rows&& S.columns ==
                                 8 * S.column_tiles() * S.warp_columns&& S.rows* S.depth % (4 * S.threads()) == 0 &&
                             S.threads() % (S.depth / 4) == 0 && S.columns* S.depth % (4 * S.threads()) == 0;

/// The stages fit the shared memory that a block may have on Arch.
template <mma_schedule S, class Arch>
concept fits_shared_memory = valid_mma_schedule<S> && S.shared_bytes() <= Arch::facts.shared_bytes;

/// The sums of a thread take at most half of its registers.
template <mma_schedule S, class Arch>
concept mma_fits_registers = valid_mma_schedule<S> && 4 * S.row_tiles() * S.column_tiles() <= Arch::facts.registers / 2;

}  // namespace tkl
