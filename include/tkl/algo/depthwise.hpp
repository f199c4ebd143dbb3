// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every output channel is one input channel filtered by a filter of its own.
//
//   for image, output row, segment of the row               in parallel
//     for tile of neighbouring pixels of the segment        pixels at the borders one by one
//       for vector of channels
//         accumulators [pixel] = bias
//         for filter row that meets the input
//           for input column of the tile                    loaded once, used by every tap that meets it
//             accumulators [pixel] += input * filter [tap]
//         epilogue, store
//
// Channels are innermost in memory, so a tile's input is a few runs of consecutive elements, each read once per filter
// row. The taps of an output are summed in the order of filter rows, then columns, wherever the pixel lies and whoever
// computes it: results do not depend on tiles, segments or threads.
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

/// What the pixels of one output row share.
template <class TA, class TW, class TC>
struct depthwise_row {
  const TA* x;
  std::int64_t origin;         // offset of the first tap used at padded column 0: may lie outside x, is not read there
  std::int64_t row_step;       // x elements between filter rows
  std::int64_t column_stride;  // x elements between input columns
  std::int64_t stride;         // input columns between outputs
  std::int64_t dilation;       // input columns between taps
  const TW* weights;           // first block
  std::int64_t first_tap;      // elements from a block's start to the first tap used
  std::int64_t block;          // elements of a block
  std::int64_t rows;           // filter rows used
  std::int64_t columns;        // taps of a filter row
  TC* y;
  std::int64_t y_stride;
  std::int64_t channels;
  std::int64_t multiplier;
};

template <bool Whole, class M, class T>
TKL_FN typename M::value load_lanes(const T* p, int lanes) {
  if constexpr (Whole) {
    return M::load(p);
  } else {
    return M::load(p, lanes);
  }
}

/// Input channels of `lanes` output channels from `channel` on, when each feeds `multiplier` outputs.
template <class M, class T>
TKL_FN typename M::value load_repeated(const T* x, std::int64_t channel, std::int64_t multiplier, int lanes) {
  T copy[M::width];
  for (int i = 0; i < lanes; ++i) copy[i] = x[(channel + i) / multiplier];
  return M::load(copy, lanes);
}

/// Pixels neighbours whose windows lie inside the row, one vector of channels, filter size known.
template <bool Whole, int Pixels, depthwise_schedule S, class M, class TA, class TW>
TKL_FN void depthwise_accumulate(typename M::value (&sum)[Pixels], const TA* x, const TW* w, std::int64_t rows,
                                 std::int64_t row_step, std::int64_t column_stride, int lanes) {
  constexpr int inputs = (Pixels - 1) * S.stride + S.columns;
  for (std::int64_t u = 0; u < rows; ++u, x += row_step, w += S.columns * M::width) {
    typename M::value tap[S.columns];
    TKL_UNROLL
    for (int v = 0; v < S.columns; ++v) tap[v] = M::load(w + v * M::width);
    const TA* column = x;
    TKL_UNROLL
    for (int k = 0; k < inputs; ++k) {
      const typename M::value input = load_lanes<Whole, M>(column, lanes);
      column += column_stride;
      TKL_UNROLL
      for (int v = 0; v < S.columns; ++v)
        if (k >= v && (k - v) % S.stride == 0 && (k - v) / S.stride < Pixels)
          M::mac(sum[(k - v) / S.stride], input, tap[v]);
    }
  }
}

/// The same for any filter.
template <bool Whole, int Pixels, class M, class TA, class TW, class TC>
TKL_FN void depthwise_accumulate_any(typename M::value (&sum)[Pixels], const TA* x, const TW* w,
                                     const depthwise_row<TA, TW, TC>& r, int lanes) {
  const std::int64_t step = r.stride * r.column_stride, tap_step = r.dilation * r.column_stride;
  for (std::int64_t u = 0; u < r.rows; ++u, x += r.row_step) {
    const TA* column = x;
    for (std::int64_t v = 0; v < r.columns; ++v, column += tap_step, w += M::width) {
      const typename M::value tap = M::load(w);
      TKL_UNROLL
      for (int p = 0; p < Pixels; ++p) M::mac(sum[p], load_lanes<Whole, M>(column + p * step, lanes), tap);
    }
  }
}

/// Pixels neighbours, one vector of channels; x, w and y are at the first of these channels.
template <bool Whole, int Pixels, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_FN void depthwise_vector(const depthwise_row<TA, TW, TC>& r, const E& epilogue, position at, const TA* x, const TW* w,
                             TC* y, int lanes) {
  typename M::value sum[Pixels];
  const typename M::value bias = M::load(w);
  TKL_UNROLL
  for (int p = 0; p < Pixels; ++p) sum[p] = bias;
  if constexpr (S.specialised()) {
    depthwise_accumulate<Whole, Pixels, S, M>(sum, x, w + r.first_tap, r.rows, r.row_step, r.column_stride, lanes);
  } else {
    depthwise_accumulate_any<Whole, Pixels, M>(sum, x, w + r.first_tap, r, lanes);
  }
  TKL_UNROLL
  for (int p = 0; p < Pixels; ++p, ++at.outer[2]) {
    if constexpr (Whole) {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride);
    } else {
      finish<M>(epilogue, sum[p], at, y + p * r.y_stride, lanes);
    }
  }
}

/// Pixels neighbours, all channels. `at` is the place of the first.
template <int Pixels, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_NOINLINE void depthwise_pixels(const depthwise_row<TA, TW, TC>& row, const E& function, position at) {
  const depthwise_row<TA, TW, TC> r = row;
  const E epilogue = function;
  const TA* x = r.x + (r.origin + at.outer[2] * r.stride * r.column_stride);
  TC* y = r.y + at.outer[2] * r.y_stride;
  const TW* w = r.weights;
  for (; at.column + M::width <= r.channels; at.column += M::width, x += M::width, y += M::width, w += r.block)
    depthwise_vector<true, Pixels, S, M>(r, epilogue, at, x, w, y, M::width);
  if (at.column < r.channels)
    depthwise_vector<false, Pixels, S, M>(r, epilogue, at, x, w, y, static_cast<int>(r.channels - at.column));
}

/// One pixel, all channels, taps [first, last) of each filter row: the window may hang over the row's ends.
template <bool Repeated, class M, class TA, class TW, class TC, class E>
TKL_NOINLINE void depthwise_border_pixel(const depthwise_row<TA, TW, TC>& r, const E& epilogue, position at,
                                         std::int64_t first, std::int64_t last) {
  const std::int64_t tap_step = r.dilation * r.column_stride;
  const std::int64_t x = r.origin + at.outer[2] * r.stride * r.column_stride;
  TC* y = r.y + at.outer[2] * r.y_stride;
  const TW* w = r.weights;
  for (; at.column < r.channels; at.column += M::width, w += r.block) {
    const int lanes = static_cast<int>(std::min<std::int64_t>(M::width, r.channels - at.column));
    typename M::value sum = M::load(w);
    const TW* tap = w + r.first_tap;
    for (std::int64_t u = 0; u < r.rows; ++u, tap += r.columns * M::width) {
      for (std::int64_t v = first; v < last; ++v) {
        const TA* input = r.x + (x + u * r.row_step + v * tap_step);
        if constexpr (Repeated) {
          M::mac(sum, load_repeated<M>(input, at.column, r.multiplier, lanes), M::load(tap + v * M::width));
        } else if (lanes == M::width) {
          M::mac(sum, M::load(input + at.column), M::load(tap + v * M::width));
        } else {
          M::mac(sum, M::load(input + at.column, lanes), M::load(tap + v * M::width));
        }
      }
    }
    finish<M>(epilogue, sum, at, y + at.column, lanes);
  }
}

/// Pixels [at.outer[2], end), all windows inside the row: whole tiles, then halves of them.
template <int Pixels, depthwise_schedule S, class M, class TA, class TW, class TC, class E>
TKL_FN void depthwise_inside(const depthwise_row<TA, TW, TC>& r, const E& epilogue, position at, std::int64_t end) {
  for (; at.outer[2] + Pixels <= end; at.outer[2] += Pixels) depthwise_pixels<Pixels, S, M>(r, epilogue, at);
  if constexpr (Pixels > 1) depthwise_inside<Pixels / 2, S, M>(r, epilogue, at, end);
}

}  // namespace impl

/// Runs the depthwise convolution `p` on machine M. Where S is specialised, the filter of `p` must be the one that S
/// names, with column dilation 1 and multiplier 1 (see depthwise_schedule_for). Element types: TA and TW any that M
/// loads, TC any that M stores. Needs no scratch.
template <depthwise_schedule S, class M, class TA, class TW, class TC, class E, class X>
void depthwise(const depthwise_problem<TA, TW, TC>& p, const E& epilogue, const X& executor) {
  assert(!S.specialised() || (p.kernel[0] == S.rows && p.kernel[1] == S.columns && p.stride[1] == S.stride &&
                              p.dilation[1] == 1 && p.multiplier == 1));
  if (is_empty(p.y)) return;
  constexpr std::int64_t segment = 4 * S.tile;
  const std::int64_t out_rows = p.y.shape.extent[1], out_columns = p.y.shape.extent[2], in_columns = p.x.shape.extent[2];
  const std::int64_t segments = ceil_div(out_columns, segment);
  // Outputs whose first tap, and whose last tap, lie inside the row.
  const std::int64_t reach = (p.kernel[1] - 1) * p.dilation[1];
  const auto first_inside = indices_inside(-p.pad[1], p.stride[1], in_columns, out_columns);
  const auto last_inside = indices_inside(reach - p.pad[1], p.stride[1], in_columns, out_columns);
  const bool tiles = p.multiplier == 1;
  const std::int64_t begin_inside = tiles ? std::max(first_inside.first, last_inside.first) : out_columns;
  const std::int64_t end_inside = std::max(begin_inside, tiles ? std::min(first_inside.last, last_inside.last) : 0);

  executor.parallel_for(p.y.shape.extent[0] * out_rows * segments, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / segments / out_rows, row = item / segments % out_rows;
      const std::int64_t left = item % segments * segment, right = std::min(left + segment, out_columns);
      const std::int64_t top = row * p.stride[0] - p.pad[0];
      const auto used = indices_inside(top, p.dilation[0], p.x.shape.extent[1], p.kernel[0]);
      const impl::depthwise_row<TA, TW, TC> r{
          .x = p.x.data,
          .origin = n * p.x.shape.stride[0] + (top + used.first * p.dilation[0]) * p.x.shape.stride[1] - p.pad[1] * p.x.shape.stride[2],
          .row_step = p.dilation[0] * p.x.shape.stride[1],
          .column_stride = p.x.shape.stride[2],
          .stride = p.stride[1],
          .dilation = p.dilation[1],
          .weights = p.weights,
          .first_tap = (1 + used.first * p.kernel[1]) * M::width,
          .block = (1 + p.kernel[0] * p.kernel[1]) * M::width,
          .rows = used.count(),
          .columns = p.kernel[1],
          .y = pixel(p.y, n, row, 0),
          .y_stride = p.y.shape.stride[2],
          .channels = p.y.shape.extent[3],
          .multiplier = p.multiplier};
      const auto border = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t column = from; column < to; ++column) {
          const auto taps = indices_inside(column * p.stride[1] - p.pad[1], p.dilation[1], in_columns, p.kernel[1]);
          const position at{{n, row, column}, 0};
          if constexpr (S.specialised()) {
            impl::depthwise_border_pixel<false, M>(r, epilogue, at, taps.first, taps.last);
          } else if (p.multiplier == 1) {
            impl::depthwise_border_pixel<false, M>(r, epilogue, at, taps.first, taps.last);
          } else {
            impl::depthwise_border_pixel<true, M>(r, epilogue, at, taps.first, taps.last);
          }
        }
      };
      const std::int64_t inside_from = std::clamp(begin_inside, left, right);
      const std::int64_t inside_to = std::clamp(end_inside, left, right);
      border(left, inside_from);
      impl::depthwise_inside<S.tile, S, M>(r, epilogue, position{{n, row, inside_from}, 0}, inside_to);
      border(inside_to, right);
    }
  });
}

TKL_ISA_END
}  // namespace tkl
