// SPDX-License-Identifier: Apache-2.0
// Matrix product of two computed operands by matrix instructions: one block computes S.rows rows by S.columns columns
// of one product of the batch.
//
//   sums = 0
//   for slice of the depth, 128 bytes of it, S.stages - 1 slices ahead:
//     copy a[rows, slice] and b[slice, columns] to shared memory, zeros outside
//     for 32 bytes of the slice:
//       sums += a b                                           one instruction per 16 rows and 8 columns
//   epilogue, store
//
// Either operand may lie in memory along its depth, or along its rows or columns (`Across`): 16 bytes are copied at a
// time, and lie in shared memory the way they came. Vectors are exchanged within their line so that the reads of a warp
// meet 32 different banks: along the depth, vector v of a row or column n lies at v ^ (n % 8) of a line of 8; else
// vector v of a depth k at v ^ (2 (k % 4)) of a line in f32, at v ^ (k / 2 % 4) in 16 bits.
//
// A machine M has what algo/mma/conv2d.hpp asks for, and
//   copy(r, to, i, inside)             16 bytes of the first or second operand
//   word(i), short_word(i)             32 bits of the block's shared memory, 16 bits
//   operand_of(words)                  an operand of an instruction, `pack` elements in each word
#pragma once

#include <cstdint>
#include <tkl/algo/mma/conv2d.hpp>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/mma.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// An operand of a block: `count` lines of the other axis than the depth (rows of a, columns of b), of which `lines`
/// exist from the block's first on. Element `from` is the first of these, at depth 0.
struct mma_operand {
  role from_role;
  std::int32_t from, lines, depth, line_stride, depth_stride;
};

template <bool Across, int Count, mma_schedule S, class M>
TKL_FN void mma_copy_operand(M& m, const mma_operand& o, int to, std::int32_t slice) {
  constexpr int slice_depth = 8 * M::vector;
  constexpr int vectors = Across ? Count / M::vector : 8;  // of a line in shared memory
  constexpr int lines = Across ? slice_depth : Count, apart = S.threads() / vectors;
  static_assert(lines % apart == 0);
  const int own = m.thread() % vectors, first = m.thread() / vectors;
  constexpr int copies = lines / apart;
  TKL_UNROLL
  for (int i = 0; i < copies; ++i) {
    const int line = first + i * apart;
    const std::int32_t k = slice * slice_depth + (Across ? line : own * M::vector);
    const std::int32_t n = Across ? own * M::vector : line;
    const int exchange = Across ? line / M::pack % 4 * (2 / M::pack) : line % 8;
    const bool inside = k < o.depth && n < o.lines;
    m.copy(o.from_role, m.shared(to + 4 * (line * vectors + (own ^ exchange))),
           inside ? o.from + k * o.depth_stride + n * o.line_stride : 0, inside);
  }
}

/// Word w of the depth of a slice that lies at word `at` of shared memory, in line n.
template <bool Across, int Count, class M>
TKL_FN std::uint32_t mma_word(const M& m, int at, int n, int w) {
  if constexpr (!Across) {
    return m.word(at + 32 * n + 4 * (w / 4 ^ n % 8) + w % 4);
  } else if constexpr (M::pack == 1) {
    return m.word(at + Count * w + 4 * (n / 4 ^ 2 * (w % 4)) + n % 4);
  } else {
    const int first = 2 * at + Count * 2 * w + 8 * (n / 8 ^ w % 4) + n % 8;
    return m.short_word(first) | std::uint32_t{m.short_word(first + Count)} << 16;
  }
}

/// sums += the products of a stage: a at word `at_a` of shared memory, b at `at_b`.
template <mma_schedule S, bool AcrossA, bool AcrossB, class M>
TKL_FN void mma_multiply_matrices(M& m, mma_sums<S>& sums, int at_a, int at_b, int warp_row, int warp_column) {
  constexpr int row_tiles = S.row_tiles(), column_tiles = S.column_tiles();
  const int lane = m.thread() % 32;
  TKL_UNROLL
  for (int step = 0; step < 4; ++step) {
    typename M::rows_operand a[row_tiles];
    typename M::columns_operand b[column_tiles];
    TKL_UNROLL
    for (int i = 0; i < row_tiles; ++i) {
      const int row = warp_row + 16 * i;
      if constexpr (AcrossA) {
        std::uint32_t words[4];
        TKL_UNROLL
        for (int q = 0; q < 4; ++q)
          words[q] = mma_word<true, S.rows>(m, at_a, row + lane / 4 + q % 2 * 8, 8 * step + lane % 4 + q / 2 * 4);
        a[i] = m.operand_of(words);
      } else {
        const int line = row + lane % 16, vector = 2 * step + lane / 16;
        a[i] = m.load_rows(m.shared(at_a + 32 * line + 4 * (vector ^ line % 8)));
      }
    }
    TKL_UNROLL
    for (int j = 0; j < column_tiles; ++j) {
      const int column = warp_column + 8 * j + lane / 4, first = 8 * step + lane % 4;
      const std::uint32_t words[] = {mma_word<AcrossB, S.columns>(m, at_b, column, first),
                                     mma_word<AcrossB, S.columns>(m, at_b, column, first + 4)};
      b[j] = m.operand_of(words);
    }
    TKL_UNROLL
    for (int i = 0; i < row_tiles; ++i) {
      TKL_UNROLL
      for (int j = 0; j < column_tiles; ++j) m.multiply(sums.of[i][j], a[i], b[j]);
    }
  }
}

}  // namespace impl

template <mma_schedule S, bool AcrossA, bool AcrossB, class M>
TKL_FN void matmul_tile(M& m) {
  static_assert(valid_mma_schedule<S>);
  constexpr int row_tiles = S.row_tiles(), column_tiles = S.column_tiles();
  const std::int32_t all_rows = m.extent(role::out, 2), all_columns = m.extent(role::out, 3);
  const std::int32_t depth = m.extent(role::in, 3), column_blocks = (all_columns + S.columns - 1) / S.columns;
  const std::int32_t first_row = m.block(0) / column_blocks * S.rows;
  const std::int32_t first_column = m.block(0) % column_blocks * S.columns;
  const std::int32_t n = m.block(1) / m.extent(role::out, 1), h = m.block(1) % m.extent(role::out, 1);
  const impl::mma_operand a{role::in,
                            row_index(m, role::in, n, h, first_row),
                            all_rows - first_row,
                            depth,
                            m.stride(role::in, 2),
                            m.stride(role::in, 3)};
  const impl::mma_operand b{role::second,
                            row_index(m, role::second, n, h, 0) + first_column * m.stride(role::second, 3),
                            all_columns - first_column,
                            depth,
                            m.stride(role::second, 3),
                            m.stride(role::second, 2)};
  const int warp = m.thread() / 32, lane = m.thread() % 32;
  const int warp_row = warp / S.warp_columns * (S.rows / S.warp_rows);
  const int warp_column = warp % S.warp_columns * (S.columns / S.warp_columns);
  constexpr int stage_words = 32 * (S.rows + S.columns);

  impl::mma_sums<S> sums{};
  const std::int32_t slices = (depth + 8 * M::vector - 1) / (8 * M::vector);
  const auto copy = [&](std::int32_t s) {
    const int to = s % S.stages * stage_words;
    if (s < slices) {
      impl::mma_copy_operand<AcrossA, S.rows, S>(m, a, to, s);
      impl::mma_copy_operand<AcrossB, S.columns, S>(m, b, to + 32 * S.rows, s);
    }
    m.commit();
  };
  for (int s = 0; s < S.stages - 1; ++s) copy(s);
  for (std::int32_t s = 0; s < slices; ++s) {
    m.template wait<S.stages - 2>();
    m.barrier();
    copy(s + S.stages - 1);
    const int at = s % S.stages * stage_words;
    impl::mma_multiply_matrices<S, AcrossA, AcrossB>(m, sums, at, at + 32 * S.rows, warp_row, warp_column);
  }

  TKL_UNROLL
  for (int i = 0; i < row_tiles; ++i) {
    TKL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::int32_t row = first_row + warp_row + 16 * i + 8 * half + lane / 4;
      if (row >= all_rows) continue;
      TKL_UNROLL
      for (int j = 0; j < column_tiles; ++j) {
        const std::int32_t column = first_column + warp_column + 8 * j + 2 * (lane % 4);
        if (column < all_columns)
          m.finish(sums.of[i][j][2 * half], sums.of[i][j][2 * half + 1], {n, h, row, column}, all_columns);
      }
    }
  }
}

TKL_ISA_END
}  // namespace tkl
