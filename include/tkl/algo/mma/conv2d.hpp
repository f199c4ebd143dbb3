// SPDX-License-Identifier: Apache-2.0
// Convolution as implicit matrix product, and matrix products with packed weights, by matrix instructions: one block
// computes S.rows places of the output (all pixels, one after the other) by S.columns columns of a group.
//
//   sums = bias row
//   for slice of the block's part of the depth (tap row, tap column, channel), 128 bytes of x, S.stages - 1 slices
//   ahead:
//     copy x[place, slice] and weights[slice, column] to shared memory, zeros outside of the input
//     for 32 bytes of the slice:
//       a = x of the warp's rows, b = weights of the warp's columns
//       sums += a b                                           one instruction per 16 rows and 8 columns
//   epilogue, store
//
// 16 bytes are copied at a time: channels of a group and strides of x must be multiples of as many elements, and x must
// begin at such an address. They are exchanged within their line of shared memory so that the reads of a warp meet 32
// different banks: vector v of row r of x lies at v ^ (r % 8), vector v of row k of the weights at v ^ (2 (k % 4)),
// where rows count once that one thread needs together.
//
// A machine M of blocks has, besides extents, strides and parameters as in algo/work_item/roles.hpp,
//   vector, pack                       elements of x in 16 bytes; neighbouring products of the depth in a word
//   thread(), block(d), parts()        which thread of the block, which block, how many share the depth
//   shared(i)                          address of word i of the block's shared memory
//   copy(to, i, inside), copy_weights(to, i, inside)    16 bytes from element i on, asynchronously; zeros if not
//   `inside` commit(), wait<N>(), barrier()     closes a group of copies; all but N groups are there; the block meets
//   rows_operand, columns_operand      of an instruction
//   load_rows(address)                 the first from four matrices of 8 rows of 16 bytes, one row from each thread
//   load_columns(f)                    the second from f(0), ..., neighbours, and f(4 pack), ..., in f32
//   multiply(d, a, b)                  four sums of an instruction
//   weight(i)                          weight i
//   finish(d0, d1, place, end)         the epilogue of two neighbouring columns, stored; columns from `end` on are not
#pragma once

#include <cstdint>
#include <tkl/algo/mma/tile_places.hpp>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/mma.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// What a thread copies of x: its vector of a slice is the same for all its rows, which are `apart` rows apart.
template <mma_schedule S>
struct mma_rows {
  static constexpr int vectors = 8;  // of a row of a slice
  static constexpr int apart = S.threads() / vectors;
  static constexpr int count = S.rows / apart;
  std::int32_t image[count];             // first element of the row's image and group
  std::int32_t top[count], left[count];  // input row and column of the first tap
};

template <mma_schedule S, class M>
TKL_FN mma_rows<S> mma_rows_of(M& m, std::int32_t first, std::int32_t channel) {
  const std::int32_t width = m.extent(role::out, 2), height = m.extent(role::out, 1);
  const std::int32_t places = m.extent(role::out, 0) * height * width;
  mma_rows<S> t;
  TKL_UNROLL
  for (int i = 0; i < mma_rows<S>::count; ++i) {
    const std::int32_t place = first + m.thread() / mma_rows<S>::vectors + i * mma_rows<S>::apart;
    const std::int32_t line = place / width;
    t.image[i] = line / height * m.stride(role::in, 0) + channel;
    // Places beyond the last lie above the input, wherever the tap is.
    t.top[i] = place < places ? line % height * m.parameter(parameter::stride, 0) - m.parameter(parameter::pad, 0)
                              : -0x40000000;
    t.left[i] = place % width * m.parameter(parameter::stride, 1) - m.parameter(parameter::pad, 1);
  }
  return t;
}

/// Copies slice `slice` of both operands into stage `stage`. `depth`: channels of a group; `panel`: first panel of the
/// block's columns, of which `panels` exist, each `panel_size` floats long.
template <mma_schedule S, class M>
TKL_FN void mma_copy_slice(M& m, const mma_rows<S>& t, int stage, std::int32_t slice, std::int32_t depth,
                           std::int32_t panel, std::int32_t panels, std::int32_t panel_size) {
  constexpr int vectors = mma_rows<S>::vectors, slice_depth = vectors * M::vector;
  const std::int32_t taps = m.parameter(parameter::kernel, 1);
  const std::int32_t all = m.parameter(parameter::kernel, 0) * taps * depth;
  const int x = stage * S.stage_words(M::vector), w = x + 32 * S.rows;
  {
    const std::int32_t own = m.thread() % vectors, k = slice * slice_depth + M::vector * own;
    const std::int32_t tap = k / depth, channel = k % depth;
    const std::int32_t down = tap / taps * m.parameter(parameter::dilation, 0);
    const std::int32_t right = tap % taps * m.parameter(parameter::dilation, 1);
    TKL_UNROLL
    for (int i = 0; i < mma_rows<S>::count; ++i) {
      const std::int32_t row = t.top[i] + down, column = t.left[i] + right;
      const bool inside =
          k < all && row >= 0 && row < m.extent(role::in, 1) && column >= 0 && column < m.extent(role::in, 2);
      const std::int32_t from = t.image[i] + row * m.stride(role::in, 1) + column * m.stride(role::in, 2) + channel;
      const int line = m.thread() / vectors + i * mma_rows<S>::apart;
      m.copy(m.shared(x + 32 * line + 4 * (own ^ line % 8)), inside ? from : 0, inside);
    }
  }
  constexpr int per_line = S.columns / 4, apart = S.threads() / per_line, copies = slice_depth / apart;
  const int own = m.thread() % per_line, first = m.thread() / per_line;
  const std::int32_t from = (panel + own) * panel_size + 4 * (slice * slice_depth + first + 1);
  float* const to = m.shared(w + first * S.columns + 4 * (own ^ 2 * (first / M::pack % 4)));
  TKL_UNROLL
  for (int i = 0; i < copies; ++i) {
    const bool inside = slice * slice_depth + first + i * apart < all && own < panels;
    m.copy_weights(to + i * apart * S.columns, inside ? from + 4 * i * apart : 0, inside);
  }
}

/// The sums of a thread.
template <mma_schedule S>
struct mma_sums {
  float of[S.row_tiles()][S.column_tiles()][4];
};

/// sums += the products of a stage.
template <mma_schedule S, class M>
TKL_FN void mma_multiply_stage(M& m, mma_sums<S>& sums, int stage, int warp_row, int warp_column) {
  constexpr int row_tiles = S.row_tiles(), column_tiles = S.column_tiles();
  const int lane = m.thread() % 32;
  const int x = stage * S.stage_words(M::vector), w = x + 32 * S.rows;
  TKL_UNROLL
  for (int step = 0; step < mma_rows<S>::vectors / 2; ++step) {
    typename M::rows_operand a[row_tiles];
    typename M::columns_operand b[column_tiles];
    TKL_UNROLL
    for (int i = 0; i < row_tiles; ++i) {
      // Lanes 0 to 7 give the rows of the first matrix, 8 to 15 the eight rows below, 16 to 31 those of the next
      // vector.
      const int row = warp_row + 16 * i + lane % 16, vector = 2 * step + lane / 16;
      a[i] = m.load_rows(m.shared(x + 32 * row + 4 * (vector ^ row % 8)));
    }
    TKL_UNROLL
    for (int j = 0; j < column_tiles; ++j) {
      const int first = 2 * step * M::vector + lane % 4 * M::pack, column = warp_column + 8 * j + lane / 4;
      b[j] = m.load_columns([&](int next) {
        const int line = first + next;
        return *m.shared(w + line * S.columns + 4 * (column / 4 ^ 2 * (line / M::pack % 4)) + column % 4);
      });
    }
    TKL_UNROLL
    for (int i = 0; i < row_tiles; ++i) {
      TKL_UNROLL
      for (int j = 0; j < column_tiles; ++j) m.multiply(sums.of[i][j], a[i], b[j]);
    }
  }
}

}  // namespace impl

template <mma_schedule S, class M>
TKL_FN void conv2d_tile(M& m) {
  static_assert(valid_mma_schedule<S>);
  constexpr int row_tiles = S.row_tiles(), column_tiles = S.column_tiles();
  const std::int32_t groups = m.parameter(parameter::groups, 0), group = m.block(1);
  const std::int32_t depth = m.extent(role::in, 3) / groups, own = m.extent(role::out, 3) / groups;
  const std::int32_t column_blocks = (own + S.columns - 1) / S.columns;
  const std::int32_t first_column = m.block(0) % column_blocks * S.columns;
  const std::int32_t first_place = m.block(0) / column_blocks * S.rows;
  const std::int32_t all = m.parameter(parameter::kernel, 0) * m.parameter(parameter::kernel, 1) * depth;
  const std::int32_t panel_size = 4 * (all + 1), group_panels = (own + 3) / 4;
  const std::int32_t panel = group * group_panels + first_column / 4, panels = group_panels - first_column / 4;
  const int warp = m.thread() / 32, lane = m.thread() % 32;
  const int warp_row = warp / S.warp_columns * (S.rows / S.warp_rows);
  const int warp_column = warp % S.warp_columns * (S.columns / S.warp_columns);

  impl::mma_sums<S> sums;
  TKL_UNROLL
  for (int j = 0; j < column_tiles; ++j) {
    const std::int32_t column = warp_column + 8 * j + 2 * (lane % 4);
    float bias[2];
    TKL_UNROLL
    for (int c = 0; c < 2; ++c) bias[c] = impl::bias_of(m, column + c, panel, panels, panel_size);
    TKL_UNROLL
    for (int i = 0; i < row_tiles; ++i) {
      TKL_UNROLL
      for (int q = 0; q < 4; ++q) sums.of[i][j][q] = bias[q % 2];
    }
  }

  const impl::mma_rows<S> rows = impl::mma_rows_of<S>(m, first_place, group * depth);
  constexpr int slice_depth = impl::mma_rows<S>::vectors * M::vector;
  const impl::slice_range slices = impl::slices_of_block(m, (all + slice_depth - 1) / slice_depth);
  const std::int32_t count = slices.end - slices.begin;
  const auto copy = [&](std::int32_t s) {
    if (s < count) impl::mma_copy_slice<S>(m, rows, s % S.stages, slices.begin + s, depth, panel, panels, panel_size);
    m.commit();
  };
  for (int s = 0; s < S.stages - 1; ++s) copy(s);
  for (std::int32_t s = 0; s < count; ++s) {
    m.template wait<S.stages - 2>();
    m.barrier();
    copy(s + S.stages - 1);
    impl::mma_multiply_stage<S>(m, sums, s % S.stages, warp_row, warp_column);
  }

  const std::int32_t places = m.extent(role::out, 0) * m.extent(role::out, 1) * m.extent(role::out, 2);
  TKL_UNROLL
  for (int i = 0; i < row_tiles; ++i) {
    TKL_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::int32_t place = first_place + warp_row + 16 * i + 8 * half + lane / 4;
      if (place >= places) continue;
      TKL_UNROLL
      for (int j = 0; j < column_tiles; ++j) {
        const std::int32_t column = first_column + warp_column + 8 * j + 2 * (lane % 4);
        if (column < own)
          m.finish(sums.of[i][j][2 * half], sums.of[i][j][2 * half + 1],
                   impl::place_of_number(m, place, group * own + column), (group + 1) * own);
      }
    }
  }
}

TKL_ISA_END
}  // namespace tkl
