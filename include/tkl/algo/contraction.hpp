// SPDX-License-Identifier: Apache-2.0
// The loop nest around the register tile, shared by matrix products, convolutions and transposed convolutions.
//
//   for block in blocks of mc output rows:                   pointers and places computed once per block
//     for panel in panels of the packed second operand:
//       for strip in strips of about kc products:            the panel's strip stays in the first-level cache
//         for tiles of the block:                            one call of the micro-kernel
//           after the last strip: evaluate the epilogue and store
//
// Partial sums wait in a stack buffer of at most 16 register tiles, never in the output: each output element is written
// exactly once, after its complete sum, by the tile itself where the epilogue only bounds it. Blocks x panels are
// independent parts for the executor, and the order of every sum depends on the schedule alone: the same bits for any
// number of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/micro_kernel.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/row_space.hpp>
#include <tkl/algo/tile_sink.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// Rows of one block: as many tiles as the schedule's mc holds, at most 16, fewer where many taps need many pointers.
TKL_TAGGED constexpr std::int64_t block_rows(const gemm_schedule& s, std::int64_t taps) {
  std::int64_t tiles = s.mc / s.mr < 16 ? s.mc / s.mr : 16;
  const std::int64_t most = 2048 / (s.mr * (taps > 0 ? taps : 1));
  if (tiles > most) tiles = most;
  return (tiles > 0 ? tiles : 1) * s.mr;
}

/// The rows of each block when `rows` rows are shared evenly: a short last block would stream all panels for few rows.
TKL_TAGGED constexpr std::int64_t even_block_rows(const gemm_schedule& s, std::int64_t taps, std::int64_t rows) {
  const std::int64_t most = block_rows(s, taps), blocks = ceil_div(rows, most);
  return blocks > 1 ? round_up(ceil_div(rows, blocks), s.mr) : most;
}

/// Bytes of scratch per worker: row pointers of one block and, where rows leave the input, zeros for a row of taps.
TKL_TAGGED constexpr std::int64_t contraction_scratch_bytes(const gemm_schedule& s, const row_space& space,
                                                            std::int64_t depth, std::int64_t element_bytes) {
  const std::int64_t pointers = block_rows(s, space.tap_count()) * space.tap_count() * std::int64_t{sizeof(void*)};
  return round_up(pointers, 64) + (space.leaves_input() ? round_up(space.taps[1] * depth * element_bytes, 64) : 0);
}

TKL_ISA_BEGIN

/// One contraction: rows through pointers times packed panels.
template <class M, class TA, class TW>
struct contraction {
  row_space space{};
  const TA* a = nullptr;
  const TW* panels = nullptr;  // see algo/pack.hpp; depth of the matrix: taps * depth
  std::int64_t depth = 0;      // products per tap
  std::int64_t columns = 0;
  std::int64_t first_column = 0;  // of the output: where this group's columns start
  tile_sink<M> sink{};
};

/// How the depth is cut: strips of whole taps, or parts of one tap where a tap alone is longer than kc. Strips are
/// equal as far as possible; a depth of up to one and a half kc stays whole. `joined`: taps that lie one after the
/// other in memory (a row of them) and should not be parted where a strip can hold them.
struct strip_plan {
  std::int64_t taps = 0;   // per strip
  std::int64_t depth = 0;  // per strip
};
constexpr strip_plan plan_strips(std::int64_t taps, std::int64_t depth, std::int64_t joined, std::int64_t kc) {
  if (taps == 0 || depth == 0 || 2 * taps * depth <= 3 * kc) return {taps, depth};
  if (joined > 1 && 2 * joined * depth <= 3 * kc) {
    const std::int64_t rows = taps / joined, fitting = kc / (joined * depth), whole = fitting > 0 ? fitting : 1;
    return {joined * ceil_div(rows, ceil_div(rows, whole)), depth};
  }
  if (depth > kc) return {1, round_up(ceil_div(depth, ceil_div(depth, kc)), 4)};
  const std::int64_t whole = kc / depth;
  return {ceil_div(taps, ceil_div(taps, whole)), depth};
}

/// Taps of one kernel row whose input elements are consecutive wherever the whole row lies inside: they are summed as
/// one long tap. Otherwise 1.
constexpr std::int64_t joined_taps(const row_space& s, std::int64_t depth) {
  return s.taps[1] > 1 && s.tap_step[1] == 1 && s.in_stride[2] == depth ? s.taps[1] : 1;
}

/// Number of independent parts (blocks x panels) of a contraction.
template <gemm_schedule S, class M, class TA, class TW>
constexpr std::int64_t contraction_parts(const contraction<M, TA, TW>& c) {
  const std::int64_t rows = c.space.rows();
  return ceil_div(rows, even_block_rows(S, c.space.tap_count(), rows)) *
         panel_count(c.columns, panels_of(S.nr, M::width));
}

/// Scratch of a contraction with one tap that stays inside its input: row pointers of one block, small enough for the
/// stack.
template <gemm_schedule S>
struct one_tap_scratch {
  alignas(64) std::byte bytes[static_cast<std::size_t>(block_rows(S, 1)) * sizeof(void*)];
};

/// Whole tiles of `height` rows from row `first` of a block of `count` on that one call may cover: all of them, but
/// those alike in whether all of their rows lie inside the input.
TKL_FN std::int64_t alike_tiles(const bool* inside, std::int64_t first, std::int64_t height, std::int64_t count,
                                bool* all_inside) {
  const auto holds = [&](std::int64_t row, std::int64_t rows) {
    bool all = true;
    for (std::int64_t i = 0; i < rows; ++i) all = all && inside[row + i];
    return all;
  };
  *all_inside = holds(first, height);
  std::int64_t tiles = 1;
  while (first + (tiles + 1) * height <= count && holds(first + tiles * height, height) == *all_inside) ++tiles;
  return tiles;
}

/// Computes the parts [begin, end). `scratch`: contraction_scratch_bytes, 64-byte aligned. Stack: the sums of at most
/// 16 register tiles and the places of their rows, below 32 KB.
template <gemm_schedule S, class M, class TA, class TW>
TKL_NOINLINE void contract(const contraction<M, TA, TW>& c, std::int64_t begin, std::int64_t end, std::byte* scratch) {
  using value = typename M::value;
  using table = tile_table<M, S.mr, S.nr, TA, TW>;
  constexpr panel_shape shape = panels_of(S.nr, M::width);
  constexpr std::int64_t most_rows = block_rows(S, 1);
  const std::int64_t taps = c.space.tap_count(), rows = c.space.rows(), block = even_block_rows(S, taps, rows);
  const std::int64_t panels = panel_count(c.columns, shape), joined = joined_taps(c.space, c.depth);
  const TA** pointers = reinterpret_cast<const TA**>(scratch);
  TA* zeros = reinterpret_cast<TA*>(scratch + round_up(block * taps * std::int64_t{sizeof(void*)}, 64));
  if (c.space.leaves_input())
    for (std::int64_t k = 0; k < c.space.taps[1] * c.depth; ++k) zeros[k] = TA{};

  const strip_plan strip = plan_strips(taps, c.depth, joined, S.kc);
  const bool whole = strip.taps == taps && strip.depth == c.depth, joins = joined > 1 && strip.taps % joined == 0;
  // While tiles compute, they fetch what comes next: the next strip of panels that the second-level cache does not hold
  // and that many rows meet, else the rows of the next block where these lie one after the other and are long.
  const bool far_panels = (1 + taps * c.depth) * c.columns * std::int64_t{sizeof(TW)} > 256 * 1024 && rows >= 4 * S.mr;
  const bool far_rows =
      !far_panels && panels > 1 && taps == 1 && c.depth >= 128 && c.space.in_step[1] * c.space.in_stride[2] == c.depth;
  // Tiles store their results themselves, a row of whole vectors at a time, where rows are evenly far apart.
  const bool stores = c.sink.out != nullptr && c.space.even_output();
  const std::int64_t out_step = c.space.output_step(), out_first = c.space.output_offset() + c.first_column;
  row_place places[most_rows];
  bool inside[most_rows];
  alignas(64) value sums[most_rows * (S.nr + 1)];
  std::int64_t located = -1;
  for (std::int64_t part = begin; part < end; ++part) {
    const std::int64_t first_row = part / panels * block, column = part % panels * shape.panel;
    const std::int64_t count = rows - first_row < block ? rows - first_row : block;
    if (located != first_row)
      locate_rows(c.space, c.a, static_cast<const TA*>(zeros), located = first_row, count, pointers,
                  stores && c.columns % M::width == 0 ? nullptr : places, inside);
    const int columns = static_cast<int>(panel_columns(c.columns - column, shape));
    const int vectors = (columns + M::width - 1) / M::width, height = vectors > S.nr ? table::wide_rows : S.mr;
    const bool direct = stores && columns == vectors * M::width;
    const TW* biases = c.panels + column * (bias_rows<TW> + taps * c.depth);
    tile_pass<TA, TW> pass{.panel = biases + bias_rows<TW> * vectors * M::width,
                           .bias = reinterpret_cast<const bias_type<TW>*>(biases)};
    std::int64_t tap = 0;
    for (bool last = false; !last; pass.bias = nullptr) {
      const std::int64_t taps_left = taps - tap, depth_left = c.depth - pass.first;
      const std::int64_t strip_taps = taps_left < strip.taps ? taps_left : strip.taps;
      const std::int64_t strip_depth = depth_left < strip.depth ? depth_left : strip.depth;
      last = taps_left <= strip_taps && depth_left <= strip_depth;
      const TW* next = pass.panel + strip_taps * strip_depth * vectors * M::width;
      const std::int64_t fetched = (far_rows ? count * c.depth / panels * std::int64_t{sizeof(TA)}
                                             : (next - pass.panel) * std::int64_t{sizeof(TW)});
      const std::byte* ahead =
          far_rows ? reinterpret_cast<const std::byte*>(pointers[count - 1] + c.depth) + part % panels * fetched
                   : reinterpret_cast<const std::byte*>(far_panels ? next : pass.panel);
      pass.ahead_step = far_rows || far_panels ? fetched * height / count : 0;
      pass.taps = strip_taps, pass.depth = strip_depth, pass.row_step = count;
      if (last && direct) pass.bounds = c.sink.bounds, pass.out_step = out_step;
      for (std::int64_t r = 0; r < count;) {
        const int tile_rows = tile_height(count - r, height);
        pass.tiles = (count - r) / tile_rows;
        if (joins) {
          bool join = false;
          pass.tiles = alike_tiles(inside, r, tile_rows, count, &join);
          pass.taps = join ? strip_taps / joined : strip_taps;
          pass.depth = join ? strip_depth * joined : strip_depth;
          pass.row_step = join ? count * joined : count;
        }
        pass.ahead = ahead + r / height * pass.ahead_step;
        pass.rows = pointers + tap * count + r;
        value* tile = sums + (whole ? 0 : r * vectors);
        if (last && direct) pass.out = c.sink.out + (out_first + (first_row + r) * out_step + column);
        table::get(tile_rows, vectors)(pass, tile);
        const int done = tile_rows * static_cast<int>(pass.tiles);
        if (last && !direct) c.sink.store(c.sink.context, tile, places + r, done, c.first_column + column, columns);
        r += done;
      }
      pass.panel = next;
      pass.first += strip_depth;
      if (pass.first >= c.depth) pass.first = 0, tap += strip_taps;
    }
  }
}

TKL_ISA_END
}  // namespace tkl
