// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every output channel is one input channel filtered by a filter of its own.
//
//   for image, group of output rows, run of columns         in parallel
//     for tile of neighbouring columns
//       for chunk of channels
//         for output row of the group                       finds most of its input in the L1 cache
//           for vector of channels
//             sums [pixel] = bias
//             for filter row that meets the input
//               for input column of the tile                loaded once, used by every tap that meets it
//                 sums [pixel] += input * filter [tap]
//             epilogue, store
//
// Tiles at the borders skip the input columns that do not exist. The taps of an output are summed in the order of
// filter rows, then columns, wherever the pixel lies and whoever computes it: results do not depend on the schedule or
// threads.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/schedule/depthwise.hpp>

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

/// One output row of a tile.
struct depthwise_row {
  std::int64_t x = 0;  // offset of the tile's first input column in the first filter row used; may lie outside of x
  std::int64_t first_tap = 0;  // elements from a block of weights to the first tap used
  std::int64_t used = 0;       // filter rows that meet the input
};

/// A tile, or a run of neighbouring tiles, in a group of output rows.
template <class TA, class TW, class TC>
struct depthwise_run {
  const TA* x = nullptr;
  std::int64_t row_step = 0;       // x elements between filter rows
  std::int64_t column_stride = 0;  // x elements between input columns
  std::int64_t stride = 1;         // input columns between outputs
  std::int64_t dilation = 1;       // input columns between taps
  index_range inside{};            // of a single tile's input columns, those that exist and are needed
  const TW* weights = nullptr;
  std::int64_t block = 0;    // elements of a block of weights
  std::int64_t columns = 1;  // taps of a filter row
  TC* y = nullptr;           // first pixel of the first row
  std::int64_t y_row_stride = 0;
  std::int64_t y_stride = 0;
  std::int64_t channels = 0;
  std::int64_t first_channel = 0;  // a multiple of the width
  std::int64_t multiplier = 1;
  std::int64_t tiles = 1;  // more than one only where all of their input exists
  int pixels = 0;          // outputs of a single tile
  int rows = 0;
  depthwise_row row[max_depthwise_group]{};
};

/// How a tile reads its input: whole vectors, all of which exist; whole vectors, and columns must be checked; the same,
/// and the vector is cut; the same, and each input channel feeds `multiplier` outputs.
enum class tile_kind { inside, border, cut, repeated };

constexpr bool whole_vectors(tile_kind k) {
  return k == tile_kind::inside || k == tile_kind::border;
}

/// One vector of channels of an input pixel, whole or `lanes` of them. x is at channel 0 where the kind is repeated.
template <tile_kind Kind, class M, class T>
TKL_FN typename M::value load_channels(const T* x, int lanes, std::int64_t channel, std::int64_t multiplier) {
  if constexpr (Kind == tile_kind::repeated) {
    T copy[M::width]{};
    for (int i = 0; i < lanes; ++i) copy[i] = x[(channel + i) / multiplier];
    return M::load(copy, lanes);
  } else if constexpr (whole_vectors(Kind)) {
    return M::load(x);
  } else {
    return M::load(x, lanes);
  }
}

/// Sums of a tile for a filter of known size, whole vectors; x is the offset of its first input, w the first tap used.
template <tile_kind Kind, depthwise_schedule S, class M, class TA, class TW, class TC>
TKL_FN void depthwise_sum(typename M::value (&sum)[S.tile], const depthwise_run<TA, TW, TC>& r, std::int64_t rows,
                          std::int64_t x, const TW* w) {
  constexpr int inputs = (S.tile - 1) * S.stride + S.columns;
  const auto first = static_cast<unsigned>(r.inside.first), count = static_cast<unsigned>(r.inside.count());
  for (std::int64_t u = 0; u < rows; ++u, x += r.row_step, w += S.columns * M::width) {
    typename M::value tap[S.columns];
    TKL_UNROLL
    for (int v = 0; v < S.columns; ++v) tap[v] = M::load(w + v * M::width);
    std::int64_t column = x;
    TKL_UNROLL
    for (int k = 0; k < inputs; ++k, column += r.column_stride) {
      if (Kind == tile_kind::border && static_cast<unsigned>(k) - first >= count) continue;
      typename M::value input = M::load(r.x + column);
      M::in_register(input);
      TKL_UNROLL
      for (int v = 0; v < S.columns; ++v)
        if (k >= v && (k - v) % S.stride == 0 && (k - v) / S.stride < S.tile)
          M::mac(sum[(k - v) / S.stride], input, tap[v]);
    }
  }
}

/// The same for any filter.
template <tile_kind Kind, int Pixels, class M, class TA, class TW, class TC>
TKL_FN void depthwise_sum_any(typename M::value (&sum)[Pixels], const depthwise_run<TA, TW, TC>& r, std::int64_t rows,
                              std::int64_t x, const TW* w, int lanes, std::int64_t channel) {
  for (std::int64_t u = 0; u < rows; ++u, x += r.row_step) {
    for (std::int64_t v = 0; v < r.columns; ++v, w += M::width) {
      const typename M::value tap = M::load(w);
      TKL_UNROLL
      for (int p = 0; p < Pixels; ++p) {
        const std::int64_t column = p * r.stride + v * r.dilation;
        if (Kind != tile_kind::inside && (column < r.inside.first || column >= r.inside.last)) continue;
        const TA* input = r.x + (x + column * r.column_stride);
        M::mac(sum[p], load_channels<Kind, M>(input, lanes, channel, r.multiplier), tap);
      }
    }
  }
}

/// One vector of channels of a tile in one row, whole or `lanes` of them. w and y are at
/// its first channel, x is the offset of that channel and tile.
template <tile_kind Kind, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_FN void depthwise_vector(const depthwise_run<TA, TW, TC>& r, const depthwise_row& row, const E& epilogue,
                             position at, std::int64_t x, const TW* w, TC* y, int lanes) {
  typename M::value sum[S.tile];
  const typename M::value bias = M::load(reinterpret_cast<const bias_type<TW>*>(w));
  TKL_UNROLL
  for (int p = 0; p < S.tile; ++p) sum[p] = bias;
  if constexpr (S.specialised()) {
    depthwise_sum<Kind, S, M>(sum, r, row.used, row.x + x, w + row.first_tap);
  } else {
    depthwise_sum_any<Kind, S.tile, M>(sum, r, row.used, row.x + x, w + row.first_tap, lanes, at.column);
  }
  TKL_UNROLL
  for (int p = 0; p < S.tile; ++p, ++at.outer[2]) {
    if (Kind != tile_kind::inside && p >= r.pixels) break;
    if constexpr (whole_vectors(Kind)) {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride);
    } else {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride, lanes);
    }
  }
}

/// Channels of a tile whose input, for all rows of a group, stays in the L1 cache (24 KB of it) until the last row has
/// used it; all where the filter is not known.
template <depthwise_schedule S, class M>
inline constexpr std::int64_t depthwise_chunk = [] {
  if (!S.specialised()) return std::int64_t{1} << 40;
  const int inputs = (S.tile - 1) * S.stride + S.columns, rows = S.rows + S.group - 1;
  const int vectors = 24 * 1024 / (inputs * rows * M::width * static_cast<int>(sizeof(typename M::scalar)));
  return std::int64_t{M::width} * (vectors > 0 ? vectors : 1);
}();

/// Channels first_channel to channels of a run of tiles; whole vectors alone where the kind says so. `first` is the
/// place of its first pixel in the first row.
template <tile_kind Kind, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_NOINLINE void depthwise_tiles(const depthwise_run<TA, TW, TC>& run, const void* function, const position& first) {
  const depthwise_run<TA, TW, TC> r = run;
  const E epilogue = *static_cast<const E*>(function);
  constexpr std::int64_t channel_step = Kind == tile_kind::repeated ? 0 : 1;
  const std::int64_t end = whole_vectors(Kind) ? r.channels / M::width * M::width : r.channels;
  for (std::int64_t tile = 0; tile < r.tiles; ++tile) {
    const std::int64_t pixel = tile * S.tile, x = pixel * r.stride * r.column_stride;
    TC* y = r.y + pixel * r.y_stride;
    position at{{first.outer[0], first.outer[1], first.outer[2] + pixel}, 0};
    for (std::int64_t chunk = r.first_channel, next = 0; chunk < end; chunk = next) {
      next = (std::min)(chunk + depthwise_chunk<S, M>, end);
      TC* row = y;
      at.outer[1] = first.outer[1];
      for (int i = 0; i < r.rows; ++i, ++at.outer[1], row += r.y_row_stride) {
        const TW* w = r.weights + chunk * (r.block / M::width);
        for (at.column = chunk; at.column < next; at.column += M::width, w += r.block)
          depthwise_vector<Kind, S, M>(r, r.row[i], epilogue, at, x + channel_step * at.column, w, row + at.column,
                                       static_cast<int>((std::min<std::int64_t>)(M::width, end - at.column)));
      }
    }
  }
}

/// A schedule and an epilogue as data, so that the loop over tiles is compiled once for all of them.
template <class TA, class TW, class TC>
struct depthwise_kernel {
  using function = void (*)(const depthwise_run<TA, TW, TC>&, const void* epilogue, const position& first);
  function inside = nullptr, border = nullptr, cut = nullptr;
  function repeated = nullptr;  // null where the schedule is specialised
  const void* epilogue = nullptr;
  std::int64_t tile = 1, group = 1;
};

/// All tiles of `p`.
template <class M, class TA, class TW, class TC, class X>
TKL_NOINLINE void depthwise_over_tiles(const depthwise_problem<TA, TW, TC>& p,
                                       const depthwise_kernel<TA, TW, TC>& kernel, const X& executor) {
  const strided_shape &in = p.x.shape, &out = p.y.shape;
  const std::int64_t taps = p.kernel[0] * p.kernel[1];
  const std::int64_t reach = (p.kernel[1] - 1) * p.dilation[1] + 1, inputs = (kernel.tile - 1) * p.stride[1] + reach;
  // Outputs of a row from the first on whose windows end inside of the input.
  const std::int64_t room = in.extent[2] + p.pad[1] - reach;
  const std::int64_t ending_inside = room < 0 ? 0 : (std::min)(room / p.stride[1] + 1, out.extent[2]);
  // Repeated channels have one function for all tiles and vectors.
  const bool repeats = p.multiplier != 1;
  const auto border = repeats ? kernel.repeated : kernel.border;
  const std::int64_t needed = repeats ? inputs + 1 : inputs;
  const std::int64_t whole_channels = repeats ? out.extent[3] : out.extent[3] / M::width * M::width;
  const std::int64_t groups = ceil_div(out.extent[1], kernel.group), tiles = ceil_div(out.extent[2], kernel.tile);
  // Rows are cut only where there are too few for the workers.
  const std::int64_t wanted = ceil_div(std::int64_t{4} * executor.workers(), out.extent[0] * groups);
  const std::int64_t run_tiles = executor.workers() == 1 ? tiles : ceil_div(tiles, (std::min)(tiles, wanted));
  const std::int64_t runs = ceil_div(tiles, run_tiles);

  executor.parallel_for(out.extent[0] * groups * runs, [&](std::int64_t begin, std::int64_t end, int) {
    depthwise_run<TA, TW, TC> r;
    r.x = p.x.data;
    r.row_step = p.dilation[0] * in.stride[1];
    r.column_stride = in.stride[2];
    r.stride = p.stride[1];
    r.dilation = p.dilation[1];
    r.weights = p.weights;
    r.block = (bias_rows<TW> + taps) * M::width;
    r.columns = p.kernel[1];
    r.y_row_stride = out.stride[1];
    r.y_stride = out.stride[2];
    r.channels = out.extent[3];
    r.multiplier = p.multiplier;
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / runs / groups, top = item / runs % groups * kernel.group;
      r.rows = static_cast<int>((std::min)(kernel.group, out.extent[1] - top));
      const std::int64_t last_tile = (std::min)((item % runs + 1) * run_tiles, tiles);
      for (std::int64_t tile = item % runs * run_tiles; tile < last_tile; tile += r.tiles) {
        const std::int64_t left = tile * kernel.tile, first_column = left * p.stride[1] - p.pad[1];
        const std::int64_t pixels = (std::min)(kernel.tile, out.extent[2] - left);
        r.pixels = static_cast<int>(pixels);
        r.inside = indices_inside(first_column, 1, in.extent[2], (pixels - 1) * p.stride[1] + reach);
        for (int i = 0; i < r.rows; ++i) {
          const std::int64_t first_row = (top + i) * p.stride[0] - p.pad[0];
          const index_range used = indices_inside(first_row, p.dilation[0], in.extent[1], p.kernel[0]);
          r.row[i].x =
              n * in.stride[0] + (first_row + used.first * p.dilation[0]) * in.stride[1] + first_column * in.stride[2];
          r.row[i].first_tap = (bias_rows<TW> + used.first * p.kernel[1]) * M::width;
          r.row[i].used = used.count();
        }
        r.y = pixel(p.y, n, top, left);
        const position at{{n, top, left}, 0};
        r.tiles = 1;
        r.first_channel = 0;
        if (r.inside.count() < needed) {
          border(r, kernel.epilogue, at);
        } else {
          r.tiles = (std::min)(last_tile, ending_inside / kernel.tile) - tile;
          kernel.inside(r, kernel.epilogue, at);
        }
        r.first_channel = whole_channels;
        if (r.first_channel < r.channels) kernel.cut(r, kernel.epilogue, at);
      }
    }
  });
}

}  // namespace impl

/// Runs the depthwise convolution `p` on machine M. Where S is specialised, the filter of `p` must be the one that S
/// names, with column dilation 1 and multiplier 1 (see depthwise_schedule_for). Element types: TA and TW any that M
/// loads, TC any that M stores. Needs no scratch.
template <depthwise_schedule S, class M, class TA, class TW, class TC, class E, class X>
requires valid_depthwise_schedule<S>
void depthwise(const depthwise_problem<TA, TW, TC>& p, const E& epilogue, const X& executor) {
  using impl::tile_kind;
  assert(!S.specialised() || (p.kernel[0] == S.rows && p.kernel[1] == S.columns && p.stride[1] == S.stride &&
                              p.dilation[1] == 1 && p.multiplier == 1));
  if (is_empty(p.y)) return;
  constexpr depthwise_schedule any{.tile = S.tile};  // cut vectors are few: one function for all filters
  impl::depthwise_kernel<TA, TW, TC> kernel{.inside = &impl::depthwise_tiles<tile_kind::inside, S, M, TA, TW, TC, E>,
                                            .border = &impl::depthwise_tiles<tile_kind::border, S, M, TA, TW, TC, E>,
                                            .cut = &impl::depthwise_tiles<tile_kind::cut, any, M, TA, TW, TC, E>,
                                            .epilogue = &epilogue,
                                            .tile = S.tile,
                                            .group = S.group};
  if constexpr (!S.specialised()) kernel.repeated = &impl::depthwise_tiles<tile_kind::repeated, S, M, TA, TW, TC, E>;
  impl::depthwise_over_tiles<M>(p, kernel, executor);
}

TKL_ISA_END
}  // namespace tkl
