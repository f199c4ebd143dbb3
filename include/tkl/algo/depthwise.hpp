// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every output channel is one input channel filtered by a filter of its own.
//
//   for image, block of output rows, tile of neighbouring columns, chunk of channels       in parallel
//     for output row of the block
//       for vector of channels of the chunk
//         accumulators [pixel] = bias
//         for filter row that meets the input
//           for input column of the tile                    loaded once, used by every tap that meets it
//             accumulators [pixel] += input * filter [tap]
//         epilogue, store
//
// Going down the rows of one tile, all but the lowest of the input rows are in the first-level cache; a chunk has as many
// channels as that allows. Tiles at the borders skip the input columns that do not exist. The taps of an output are summed
// in the order of filter rows, then columns, wherever the pixel lies and whoever computes it: results do not depend on
// tiles, chunks or threads.
#pragma once

#include <tkl/algo/finish.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/schedule/depthwise.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace tkl {

/// y[n, r, c, o] = epilogue(bias[o] + sum over u, v of x[n, r * stride[0] - pad[0] + u * dilation[0], c * stride[1] -
/// pad[1] + v * dilation[1], o / multiplier] * w[o, u, v]); x is 0 outside. y has multiplier times the channels of x.
/// `weights` is what pack_depthwise made for the machine's width.
template <class TA, class TW, class TC>
struct depthwise_problem {
  strided4<const TA> x{};
  const TW* weights = nullptr;
  strided4<TC> y{};
  std::int64_t kernel[2]{1, 1};
  std::int64_t stride[2]{1, 1};
  std::int64_t dilation[2]{1, 1};
  std::int64_t pad[2]{};  // before the first row, before the first column; what follows from y's extents lies after
  std::int64_t multiplier = 1;
};

TKL_ISA_BEGIN
namespace impl {

/// Most output rows that are computed side by side.
inline constexpr int depthwise_rows = 4;

/// One output row of a tile.
struct depthwise_row {
  std::int64_t x = 0;          // offset of the first input column in the first filter row used; may lie outside of the input
  std::int64_t first_tap = 0;  // elements from a block's start to the first tap used
  std::int64_t rows = 0;       // filter rows used
};

/// A tile, or a run of neighbouring tiles, of up to depthwise_rows output rows.
template <class TA, class TW, class TC>
struct depthwise_tiles {
  const TA* x;
  std::int64_t row_step;       // x elements between filter rows
  std::int64_t column_stride;  // x elements between input columns
  std::int64_t stride;         // input columns between outputs
  std::int64_t dilation;       // input columns between taps
  index_range columns_inside;  // of the tile's input columns, those that exist and are needed
  const TW* weights;
  std::int64_t block;          // elements of a block of weights
  std::int64_t columns;        // taps of a filter row
  TC* y;                       // the first pixel of the first row
  std::int64_t y_row_stride;
  std::int64_t y_stride;
  std::int64_t channels;
  std::int64_t multiplier;
  std::int64_t tiles;  // neighbours
  int pixels;          // outputs of the tile
  int rows;            // output rows
  depthwise_row row[depthwise_rows];
};

/// How a tile reads its input: all of it exists; columns must be checked; columns must be checked, and each input
/// channel feeds `multiplier` outputs.
enum class tile_kind { inside, checked, repeated };

/// One vector of channels of an input pixel, `lanes` of them unless Whole. x is at channel 0 where the kind is repeated.
template <tile_kind Kind, bool Whole, class M, class T>
TKL_FN typename M::value load_channels(const T* x, int lanes, std::int64_t channel, std::int64_t multiplier) {
  if constexpr (Kind == tile_kind::repeated) {
    T copy[M::width];
    for (int i = 0; i < lanes; ++i) copy[i] = x[(channel + i) / multiplier];
    return M::load(copy, lanes);
  } else if constexpr (Whole) {
    return M::load(x);
  } else {
    return M::load(x, lanes);
  }
}

/// Sums of a tile for a filter of known size; x is the offset of the tile's first input column.
template <tile_kind Kind, bool Whole, depthwise_schedule S, class M, class TA, class TW, class TC>
TKL_FN void depthwise_sum(typename M::value (&sum)[S.tile], const depthwise_tiles<TA, TW, TC>& r, std::int64_t rows,
                          std::int64_t x, const TW* w, int lanes) {
  constexpr int inputs = (S.tile - 1) * S.stride + S.columns;
  const auto first = static_cast<unsigned>(r.columns_inside.first), count = static_cast<unsigned>(r.columns_inside.count());
  for (std::int64_t u = 0; u < rows; ++u, x += r.row_step, w += S.columns * M::width) {
    typename M::value tap[S.columns];
    TKL_UNROLL
    for (int v = 0; v < S.columns; ++v) tap[v] = M::load(w + v * M::width);
    std::int64_t column = x;
    TKL_UNROLL
    for (int k = 0; k < inputs; ++k, column += r.column_stride) {
      if (Kind == tile_kind::checked && static_cast<unsigned>(k) - first >= count) continue;
      const typename M::value input = load_channels<Kind, Whole, M>(r.x + column, lanes, 0, 1);
      TKL_UNROLL
      for (int v = 0; v < S.columns; ++v)
        if (k >= v && (k - v) % S.stride == 0 && (k - v) / S.stride < S.tile)
          M::mac(sum[(k - v) / S.stride], input, tap[v]);
    }
  }
}

/// The same for any filter.
template <tile_kind Kind, bool Whole, int Pixels, class M, class TA, class TW, class TC>
TKL_FN void depthwise_sum_any(typename M::value (&sum)[Pixels], const depthwise_tiles<TA, TW, TC>& r, std::int64_t rows,
                              std::int64_t x, const TW* w, int lanes, std::int64_t channel) {
  for (std::int64_t u = 0; u < rows; ++u, x += r.row_step) {
    for (std::int64_t v = 0; v < r.columns; ++v, w += M::width) {
      const typename M::value tap = M::load(w);
      TKL_UNROLL
      for (int p = 0; p < Pixels; ++p) {
        const std::int64_t column = p * r.stride + v * r.dilation;
        if (Kind != tile_kind::inside && (column < r.columns_inside.first || column >= r.columns_inside.last)) continue;
        const TA* input = r.x + (x + column * r.column_stride);
        M::mac(sum[p], load_channels<Kind, Whole, M>(input, lanes, channel, r.multiplier), tap);
      }
    }
  }
}

/// One vector of channels of a tile, `lanes` of them unless Whole. w and y are at its first channel; x is an offset.
template <tile_kind Kind, bool Whole, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_FN void depthwise_vector(const depthwise_tiles<TA, TW, TC>& r, const depthwise_row& row, const E& epilogue,
                             position at, std::int64_t x, const TW* w, TC* y, int lanes) {
  typename M::value sum[S.tile];
  const typename M::value bias = M::load(w);
  TKL_UNROLL
  for (int p = 0; p < S.tile; ++p) sum[p] = bias;
  if constexpr (S.specialised()) {
    depthwise_sum<Kind, Whole, S, M>(sum, r, row.rows, x, w + row.first_tap, lanes);
  } else {
    depthwise_sum_any<Kind, Whole, S.tile, M>(sum, r, row.rows, x, w + row.first_tap, lanes, at.column);
  }
  TKL_UNROLL
  for (int p = 0; p < S.tile; ++p, ++at.outer[2]) {
    if (Kind != tile_kind::inside && p >= r.pixels) break;
    if constexpr (Whole) {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride);
    } else {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride, lanes);
    }
  }
}

/// All channels of the tiles. `first` is the place of the first pixel of the first row.
template <tile_kind Kind, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_NOINLINE void depthwise_run(const depthwise_tiles<TA, TW, TC>& tiles, const E& function, const position& first) {
  const depthwise_tiles<TA, TW, TC> r = tiles;
  const E epilogue = function;
  constexpr std::int64_t step = Kind == tile_kind::repeated ? 0 : 1;
  for (std::int64_t tile = 0; tile < r.tiles; ++tile) {
    const std::int64_t x = tile * S.tile * r.stride * r.column_stride;
    TC* const y = r.y + tile * S.tile * r.y_stride;
    position at{{first.outer[0], 0, first.outer[2] + tile * S.tile}, 0};
    const TW* w = r.weights;
    for (; at.column + M::width <= r.channels; at.column += M::width, w += r.block) {
      if constexpr (S.prefetch & 1) {
        for (int i = 0; i < r.rows; ++i) {
        const TA* px = r.x + x + r.row[i].x + (r.row[i].rows - 1) * r.row_step + S.tile * S.stride * r.column_stride + (at.column) * S.tile * S.stride;
        for (int i = 0; i < S.tile * S.stride / 2; ++i) __builtin_prefetch(px + i * 16, 0, 3);
        }
      }
      for (int i = 0; i < r.rows; ++i) {
        at.outer[1] = first.outer[1] + i;
        depthwise_vector<Kind, true, S, M>(r, r.row[i], epilogue, at, x + r.row[i].x + step * at.column, w,
                                           y + i * r.y_row_stride + at.column, M::width);
      }
    }
    if (at.column < r.channels) {
      const int lanes = static_cast<int>(r.channels - at.column);
      for (int i = 0; i < r.rows; ++i) {
        at.outer[1] = first.outer[1] + i;
        depthwise_vector<Kind, false, S, M>(r, r.row[i], epilogue, at, x + r.row[i].x + step * at.column, w,
                                            y + i * r.y_row_stride + at.column, lanes);
      }
    }
  }
}

}  // namespace impl

/// Runs the depthwise convolution `p` on machine M. Where S is specialised, the filter of `p` must be the one that S
/// names, with column dilation 1 and multiplier 1 (see depthwise_schedule_for). Element types: TA and TW any that M
/// loads, TC any that M stores. Needs no scratch.
template <depthwise_schedule S, class M, class TA, class TW, class TC, class E, class X>
void depthwise(const depthwise_problem<TA, TW, TC>& p, const E& epilogue, const X& executor) {
  using impl::tile_kind;
  assert(!S.specialised() || (p.kernel[0] == S.rows && p.kernel[1] == S.columns && p.stride[1] == S.stride &&
                              p.dilation[1] == 1 && p.multiplier == 1));
  if (is_empty(p.y)) return;
  const strided_shape &in = p.x.shape, &out = p.y.shape;
  const std::int64_t taps = p.kernel[0] * p.kernel[1];
  const std::int64_t reach = (p.kernel[1] - 1) * p.dilation[1] + 1, inputs = (S.tile - 1) * p.stride[1] + reach;
  const std::int64_t tiles = ceil_div(out.extent[2], S.tile), group = S.prefetch >> 4;
  const std::int64_t groups = ceil_div(out.extent[1], group);

  executor.parallel_for(out.extent[0] * groups, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / groups, top = item % groups * group;
      impl::depthwise_tiles<TA, TW, TC> r{.x = p.x.data,
                                        .row_step = p.dilation[0] * in.stride[1],
                                        .column_stride = in.stride[2],
                                        .stride = p.stride[1],
                                        .dilation = p.dilation[1],
                                        .columns_inside = {},
                                        .weights = p.weights,
                                        .block = (1 + taps) * M::width,
                                        .columns = p.kernel[1],
                                        .y = nullptr,
                                        .y_row_stride = out.stride[1],
                                        .y_stride = out.stride[2],
                                        .channels = out.extent[3],
                                        .multiplier = p.multiplier,
                                        .tiles = 1, .pixels = 0, .rows = static_cast<int>(std::min(group, out.extent[1] - top)), .row = {}};
      for (std::int64_t tile = 0; tile < tiles; tile += r.tiles) {
        const std::int64_t left = tile * S.tile;
        const std::int64_t pixels = std::min<std::int64_t>(S.tile, out.extent[2] - left);
        const std::int64_t first_column = left * p.stride[1] - p.pad[1];
        r.columns_inside = indices_inside(first_column, 1, in.extent[2], (pixels - 1) * p.stride[1] + reach);
        const tile_kind kind = p.multiplier != 1                   ? tile_kind::repeated
                               : r.columns_inside.count() < inputs ? tile_kind::checked
                                                                   : tile_kind::inside;
        r.pixels = static_cast<int>(pixels);
        for (int i = 0; i < r.rows; ++i) {
          const std::int64_t first_row = (top + i) * p.stride[0] - p.pad[0];
          const auto used = indices_inside(first_row, p.dilation[0], in.extent[1], p.kernel[0]);
          r.row[i] = {n * in.stride[0] + (first_row + used.first * p.dilation[0]) * in.stride[1] + first_column * in.stride[2],
                      (1 + used.first * p.kernel[1]) * M::width, used.count()};
        }
        r.y = pixel(p.y, n, top, left);
        r.tiles = 1;
        const position at{{n, top, left}, 0};
        if (kind == tile_kind::inside) {
          const std::int64_t fit = (in.extent[2] - reach + p.pad[1]) / p.stride[1] + 1;  // outputs inside
          r.tiles = std::min(fit, out.extent[2]) / S.tile - tile;
          impl::depthwise_run<tile_kind::inside, S, M>(r, epilogue, at);
        } else if (S.specialised() || kind == tile_kind::checked) {
          impl::depthwise_run<tile_kind::checked, S, M>(r, epilogue, at);
        } else if constexpr (!S.specialised()) {
          impl::depthwise_run<tile_kind::repeated, S, M>(r, epilogue, at);
        }
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
