// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut for warpgroups: the tile of a block, and the slices of the depth that lie in a ring in
// shared memory. The schedule of algo/mma/product_ring.hpp.
#pragma once

#include <cstdint>

namespace tkl {

/// A block computes `rows` by `columns` sums: one warpgroup fetches, each other takes 64 rows by all columns, which is
/// one instruction per 32 bytes of the depth. A slice is as long as a line of 128 bytes; `stages` of them lie in the
/// ring. Blocks that run together share operands: they walk stripes of `stripe` tiles of columns.
struct ring_schedule {
  int rows = 128;
  int columns = 128;
  int stages = 6;
  int stripe = 8;
  constexpr bool operator==(const ring_schedule&) const = default;

  static constexpr int line_bytes = 128;     // of either operand in a slice
  static constexpr int group_threads = 128;  // of a warpgroup
  static constexpr int group_rows = 64;
  static constexpr int alignment = 1024;  // of a tile in shared memory: 8 lines, within which vectors are exchanged

  constexpr int consumers() const { return rows / group_rows; }
  constexpr int threads() const { return group_threads * (1 + consumers()); }
  constexpr int rows_bytes() const { return line_bytes * rows; }
  constexpr int columns_bytes() const { return line_bytes * columns; }
  constexpr int stage_bytes() const { return rows_bytes() + columns_bytes(); }
  /// The stages, and two barriers of 8 bytes for each; shared memory may begin at any multiple of 16.
  constexpr int shared_bytes() const { return alignment + stages * (stage_bytes() + 16); }
};

/// A schedule is usable at all: whole warpgroups, a number of columns that target/cuda_wgmma.cuh has an instruction
/// for, tiles that a tensor map can fetch at once (256 lines), threads that a block may have.
template <ring_schedule S>
concept valid_ring_schedule =
    (S.rows == 64 || S.rows == 128 || S.rows == 256) &&
    (S.columns == 64 || S.columns == 128 || S.columns == 256) && S.stages >= 2 && S.stripe >= 1 && S.threads() <= 1024;

/// The ring fits the shared memory that a block may have on Arch, and the sums of a thread take at most three quarters
/// of the registers that its block leaves it.
template <ring_schedule S, class Arch>
concept ring_fits = valid_ring_schedule<S> && S.shared_bytes() <= Arch::facts.shared_bytes&& S.columns / 2 <=
                    3 * Arch::facts.register_file / S.threads() / 4;

/// The places of an output as tiles: each is a box of as many places as a tile has rows, so that a tap of a convolution
/// is a box of its input. Axes: columns, rows, batch.
struct ring_space {
  std::int32_t extent[3]{1, 1, 1};
  std::int32_t box[3]{1, 1, 1};
  constexpr std::int32_t tiles(int axis) const { return (extent[axis] + box[axis] - 1) / box[axis]; }
  constexpr std::int64_t tiles() const { return std::int64_t{tiles(0)} * tiles(1) * tiles(2); }
};

/// The boxes of `rows` places, a power of two, that cover a space by the fewest tiles; of equals the longest.
constexpr ring_space space_of(int rows, std::int32_t columns, std::int32_t lines, std::int32_t batch) {
  ring_space best{{columns, lines, batch}, {rows, 1, 1}};
  for (int along = rows; along >= 1; along /= 2)
    for (int down = rows / along; down >= 1; down /= 2) {
      const ring_space s{{columns, lines, batch}, {along, down, rows / along / down}};
      if (s.tiles() < best.tiles()) best = s;
    }
  return best;
}

/// A tile of a product: which rows, which columns.
struct ring_tile {
  std::int32_t row, column;
};

/// The tile of block number `block`: down the rows of a stripe, stripe by stripe; the last may be narrower.
constexpr ring_tile tile_of_block(std::int32_t block, std::int32_t row_tiles, std::int32_t column_tiles, int stripe) {
  const std::int32_t in_stripe = row_tiles * stripe, first = block / in_stripe * stripe;
  const std::int32_t rest = block % in_stripe, width = column_tiles - first < stripe ? column_tiles - first : stripe;
  return {rest / width, first + rest % width};
}

}  // namespace tkl
