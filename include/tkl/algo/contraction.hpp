// SPDX-License-Identifier: Apache-2.0
// The loop nest around the register tile, shared by matrix products, convolutions and transposed convolutions.
//
//   for block in blocks of mc output rows:                   pointers and places computed once per block
//     for panel in panels of the packed second operand:
//       for strip in strips of about kc products:            the panel's strip stays in the first-level cache
//         for tile in tiles of the block:                    one call of the micro-kernel
//           after the last strip: evaluate the epilogue and store
//
// Partial sums wait in a stack buffer of at most 16 register tiles, never in the output: each output element is written
// exactly once, after its complete sum. Blocks x panels are independent parts for the executor, and the order of every
// sum depends on the schedule alone: the same bits for any number of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/micro_kernel.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/node.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// Which input pixel each output row meets at each tap. Rows are indexed by (n, q, p). On both pixel axes the output
/// pixel is out_first + q * out_step, and the input pixel q * in_step + tap_first + tap * tap_step, a row of zeros when
/// outside. A matrix product has one tap and its rows along p.
struct row_space {
  std::int64_t extent[3]{};     // images, rows q, columns p
  std::int64_t in_extent[2]{};  // input rows and columns
  std::int64_t in_stride[3]{};  // elements per image, row, column
  std::int64_t in_step[2]{1, 1};
  std::int64_t taps[2]{1, 1};
  std::int64_t tap_first[2]{};
  std::int64_t tap_step[2]{1, 1};
  std::int64_t out_first[3]{};  // image, row, column of the first output pixel
  std::int64_t out_step[2]{1, 1};
  std::int64_t out_stride[3]{};  // elements per image, row, column of output pixels

  constexpr std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
  constexpr std::int64_t tap_count() const { return taps[0] * taps[1]; }
  /// Whether some tap of some row lies outside of the input, so that the row of zeros is read.
  constexpr bool leaves_input() const {
    if (rows() == 0) return false;
    for (int axis = 0; axis < 2; ++axis) {
      if (taps[axis] == 0) continue;
      const std::int64_t reach = (taps[axis] - 1) * tap_step[axis], last = (extent[axis + 1] - 1) * in_step[axis];
      const std::int64_t low = tap_first[axis] + (reach < 0 ? reach : 0);
      const std::int64_t high = tap_first[axis] + (reach > 0 ? reach : 0) + last;
      if (low < 0 || high >= in_extent[axis]) return true;
    }
    return false;
  }
};

/// Rows of one block: as many tiles as the schedule's mc holds, at most 16, fewer where many taps need many pointers.
constexpr std::int64_t block_rows(const gemm_schedule& s, std::int64_t taps) {
  std::int64_t tiles = s.mc / s.mr < 16 ? s.mc / s.mr : 16;
  const std::int64_t most = 2048 / (s.mr * (taps > 0 ? taps : 1));
  if (tiles > most) tiles = most;
  return (tiles > 0 ? tiles : 1) * s.mr;
}

/// The rows of each block when `rows` rows are shared evenly: a short last block would stream all panels for few rows.
constexpr std::int64_t even_block_rows(const gemm_schedule& s, std::int64_t taps, std::int64_t rows) {
  const std::int64_t most = block_rows(s, taps), blocks = ceil_div(rows, most);
  return blocks > 1 ? round_up(ceil_div(rows, blocks), s.mr) : most;
}

/// Bytes of scratch per worker: row pointers of one block and, where rows leave the input, zeros for a row of taps.
constexpr std::int64_t contraction_scratch_bytes(const gemm_schedule& s, const row_space& space, std::int64_t depth,
                                                 std::int64_t element_bytes) {
  const std::int64_t pointers = block_rows(s, space.tap_count()) * space.tap_count() * std::int64_t{sizeof(void*)};
  return round_up(pointers, 64) + (space.leaves_input() ? round_up(space.taps[1] * depth * element_bytes, 64) : 0);
}

TKL_ISA_BEGIN

/// Where an output row lies: its outer indices, and its offset in the output in elements.
struct row_place {
  std::int64_t outer[3]{};
  std::int64_t out = 0;
};

/// Where finished sums go. A function pointer, so that the loop nest is compiled once for all epilogues.
template <class M>
struct tile_sink {
  using function = void (*)(const void* context, const typename M::value* tile, const row_place* places, int rows,
                            std::int64_t column, int columns);
  const void* context = nullptr;
  function store = nullptr;
};

/// The output and the expression that is evaluated for each of its elements.
template <class TC, class E>
struct epilogue_context {
  TC* out = nullptr;
  E epilogue{};
};

/// Evaluates the epilogue on `rows` x `columns` sums of a tile (whole vectors per row) and stores the results; the last
/// vector of a row is masked. A rolled loop: as fast as an unrolled one, and a fifth of its text.
template <class M, class TC, class E>
TKL_NOINLINE void store_tile(const void* context, const typename M::value* tile, const row_place* places, int rows,
                             std::int64_t column, int columns) {
  const auto& c = *static_cast<const epilogue_context<TC, E>*>(context);
  constexpr int width = M::width;
  for (int i = 0; i < rows; ++i) {
    const std::int64_t(&outer)[3] = places[i].outer;
    position at{{outer[0], outer[1], outer[2]}, column};
    TC* out = c.out + (places[i].out + column);
    int left = columns;
    for (; left >= width; left -= width, out += width, at.column += width)
      M::store(out, eval(c.epilogue, typename M::leaf{*tile++, at, width}));
    if (left > 0) M::store(out, eval(c.epilogue, typename M::leaf{*tile++, at, left}), left);
  }
}

/// store_tile for a whole tile row of NV vectors: no masks, no inner loop.
template <class M, int NV, class TC, class E>
TKL_NOINLINE void store_whole_tile(const void* context, const typename M::value* tile, const row_place* places,
                                   int rows, std::int64_t column, int columns) {
  constexpr int width = M::width;
  if (columns != NV * width) return store_tile<M, TC, E>(context, tile, places, rows, column, columns);
  const auto& c = *static_cast<const epilogue_context<TC, E>*>(context);
  for (int i = 0; i < rows; ++i, tile += NV) {
    const std::int64_t(&outer)[3] = places[i].outer;
    TC* out = c.out + (places[i].out + column);
    TKL_UNROLL
    for (int j = 0; j < NV; ++j) {
      const position at{{outer[0], outer[1], outer[2]}, column + j * width};
      M::store(out + j * width, eval(c.epilogue, typename M::leaf{tile[j], at, width}));
    }
  }
}

template <gemm_schedule S, class M, class TC, class E>
TKL_FN tile_sink<M> sink_of(const epilogue_context<TC, E>& context) {
  return {&context, &store_whole_tile<M, S.nr, TC, E>};
}

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

/// Pointers and places of the rows [first, first + count): the pointers of all rows for the first tap, then for the
/// next. With several taps, `inside` says of each row whether all tap columns of its window lie inside the input.
///   for line of pixels (n, q): for p in line: pointer and place by increments; for tap: pointer
/// The space is copied: stores through the pointers could otherwise change it for all the compiler knows.
template <class TA>
TKL_NOINLINE void locate_rows(const row_space& space, const TA* a, const TA* zeros, std::int64_t first,
                              std::int64_t count, const TA** pointers, row_place* places, bool* inside) {
  const row_space s = space;
  const bool one_tap_inside = s.tap_count() == 1 && !s.leaves_input();
  const std::int64_t reach = (s.taps[1] - 1) * s.tap_step[1], width = s.in_extent[1];
  const std::int64_t tap_stride = s.tap_step[1] * s.in_stride[2];
  const std::int64_t pixel_stride = s.in_step[1] * s.in_stride[2], place_stride = s.out_step[1] * s.out_stride[2];
  std::int64_t p = first % s.extent[2], q = first / s.extent[2] % s.extent[1], n = first / s.extent[2] / s.extent[1];
  for (std::int64_t r = 0; r < count;) {
    const std::int64_t top = q * s.in_step[0] + s.tap_first[0], image = s.out_first[0] + n;
    const std::int64_t oh = s.out_first[1] + q * s.out_step[0];
    std::int64_t left = p * s.in_step[1] + s.tap_first[1], ow = s.out_first[2] + p * s.out_step[1];
    std::int64_t in = n * s.in_stride[0] + top * s.in_stride[1] + left * s.in_stride[2];
    std::int64_t out = image * s.out_stride[0] + oh * s.out_stride[1] + ow * s.out_stride[2];
    const std::int64_t in_line = s.extent[2] - p, end = in_line < count - r ? r + in_line : count;
    for (; r < end; ++r, left += s.in_step[1], ow += s.out_step[1], in += pixel_stride, out += place_stride) {
      places[r] = {{image, oh, ow}, out};
      if (one_tap_inside) {
        pointers[r] = a + in;
        continue;
      }
      const TA** to = pointers + r;
      inside[r] = left >= 0 && left < width && left + reach >= 0 && left + reach < width;
      std::int64_t line = in;
      for (std::int64_t u = 0, y = top; u < s.taps[0];
           ++u, y += s.tap_step[0], line += s.tap_step[0] * s.in_stride[1]) {
        std::int64_t offset = line;
        if (y < 0 || y >= s.in_extent[0]) {
          for (std::int64_t v = 0; v < s.taps[1]; ++v, to += count) *to = zeros;
        } else if (inside[r]) {
          for (std::int64_t v = 0; v < s.taps[1]; ++v, to += count, offset += tap_stride) *to = a + offset;
        } else {
          for (std::int64_t v = 0, x = left; v < s.taps[1]; ++v, to += count, x += s.tap_step[1], offset += tap_stride)
            *to = x >= 0 && x < width ? a + offset : zeros;
        }
      }
    }
    p = 0;
    if (++q == s.extent[1]) q = 0, ++n;
  }
}

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

/// Asks for `count` elements to be brought near. The strip that comes next is fetched share by share while tiles of
/// this one are computed: met all at once, it would arrive in bursts that the memory cannot follow.
template <class T>
TKL_FN void prefetch_ahead(const T* p, std::int64_t count) {
  constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(p + i, 0, 2);
}

/// Scratch of a contraction with one tap that stays inside its input: row pointers of one block, small enough for the
/// stack.
template <gemm_schedule S>
struct one_tap_scratch {
  alignas(64) std::byte bytes[static_cast<std::size_t>(block_rows(S, 1)) * sizeof(void*)];
};

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
  // Panels that the second-level cache holds anyway, or that few rows meet, are not fetched ahead.
  const bool distant = (1 + taps * c.depth) * c.columns * std::int64_t{sizeof(TW)} > 256 * 1024 && rows >= 4 * S.mr;
  // Where the output leaves the second-level cache but all panels are at hand, a tile of rows meets panel after panel:
  // whole output rows are written in the order in which they lie in memory.
  const std::int64_t panel_bytes = (1 + taps * c.depth) * c.columns * std::int64_t{sizeof(TW)};
  const bool along_rows = whole && panels > 1 && panel_bytes <= 128 * 1024 && rows * c.columns > 128 * 1024;
  const std::int64_t regular =
      panel_columns(c.columns - (panels - 1) * shape.panel, shape) > shape.panel ? panels - 1 : panels;
  row_place places[most_rows];
  bool inside[most_rows];
  alignas(64) value sums[most_rows * (S.nr + 1)];
  std::int64_t located = -1;
  for (std::int64_t part = begin; part < end; ++part) {
    const std::int64_t first_row = part / panels * block, column = part % panels * shape.panel;
    const std::int64_t count = rows - first_row < block ? rows - first_row : block;
    if (located != first_row)
      locate_rows(c.space, c.a, static_cast<const TA*>(zeros), located = first_row, count, pointers, places, inside);
    if (along_rows && part % panels < regular) {
      const std::int64_t run = regular - part % panels < end - part ? regular - part % panels : end - part;
      for (std::int64_t r = 0; r < count; r += S.mr) {
        const int tile_rows = static_cast<int>(count - r < S.mr ? count - r : S.mr);
        bool join = joins;
        for (int i = 0; i < tile_rows; ++i) join = join && inside[r + i];
        tile_pass<TA, TW> pass{.rows = pointers + r, .row_step = count, .taps = taps, .depth = c.depth};
        if (join) pass.row_step *= joined, pass.taps /= joined, pass.depth *= joined;
        for (std::int64_t first = column; first < column + run * shape.panel; first += shape.panel) {
          const int columns = static_cast<int>(panel_columns(c.columns - first, shape));
          const int vectors = (columns + M::width - 1) / M::width;
          pass.bias = c.panels + first * (1 + taps * c.depth);
          pass.panel = pass.bias + vectors * M::width;
          table::get(tile_rows, vectors)(pass, sums);
          c.sink.store(c.sink.context, sums, places + r, tile_rows, c.first_column + first, columns);
        }
      }
      part += run - 1;
      continue;
    }
    const int columns = static_cast<int>(panel_columns(c.columns - column, shape));
    const int vectors = (columns + M::width - 1) / M::width, height = vectors > S.nr ? table::wide_rows : S.mr;
    const TW* bias = c.panels + column * (1 + taps * c.depth);
    const auto whole_tile = table::get(height, vectors);
    tile_pass<TA, TW> pass{.panel = bias + vectors * M::width, .bias = bias};
    std::int64_t tap = 0;
    for (bool last = false; !last; pass.bias = nullptr) {
      const std::int64_t taps_left = taps - tap, depth_left = c.depth - pass.first;
      const std::int64_t strip_taps = taps_left < strip.taps ? taps_left : strip.taps;
      const std::int64_t strip_depth = depth_left < strip.depth ? depth_left : strip.depth;
      last = taps_left <= strip_taps && depth_left <= strip_depth;
      const TW* next = pass.panel + strip_taps * strip_depth * vectors * M::width;
      const std::int64_t share = last && part + 1 == end ? 0 : ceil_div((next - pass.panel) * height, count);
      pass.taps = strip_taps, pass.depth = strip_depth, pass.row_step = count;
      for (std::int64_t r = 0; r < count; r += height) {
        const int tile_rows = static_cast<int>(count - r < height ? count - r : height);
        if (joins) {
          bool join = true;
          for (int i = 0; i < tile_rows; ++i) join = join && inside[r + i];
          pass.taps = join ? strip_taps / joined : strip_taps;
          pass.depth = join ? strip_depth * joined : strip_depth;
          pass.row_step = join ? count * joined : count;
        }
        pass.rows = pointers + tap * count + r;
        value* tile = sums + (whole ? 0 : r * vectors);
        if (distant) prefetch_ahead(next + r / height * share, share);
        (tile_rows == height ? whole_tile : table::get(tile_rows, vectors))(pass, tile);
        if (last) c.sink.store(c.sink.context, tile, places + r, tile_rows, c.first_column + column, columns);
      }
      pass.panel = next;
      pass.first += strip_depth;
      if (pass.first >= c.depth) pass.first = 0, tap += strip_taps;
    }
  }
}

TKL_ISA_END
}  // namespace tkl
