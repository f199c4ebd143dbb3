// SPDX-License-Identifier: Apache-2.0
// Transposed convolution to one channel whose kernel is as large as its stride: each input pixel makes a block of the
// output alone, as in the last layer of a network that draws a mask.
//
//   merge the columns of the residues' panels: one panel whose lanes are the taps of a block
//   for block of pixels: see algo/contraction.hpp
//     for pixel: for tap (r, c) of its block: y[q * stride - pad + r][p * stride - pad + c] = epilogue(sum)
//
// Residue by residue (algo/conv_transpose2d.hpp), each output would fill a vector of its own with one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/schedule/conv.hpp>

namespace tkl {

/// Whether a transposed convolution is computed in blocks on vectors of `width` lanes.
TKL_TAGGED constexpr bool computes_blocks(const conv2d_geometry& g, std::int64_t out_channels, int width) {
  if (out_channels != 1 || g.groups != 1) return false;
  for (int i = 0; i < 2; ++i)
    if (g.kernel[i] != g.stride[i] || g.dilation[i] != 1 || g.kernel[i] > width) return false;
  return g.kernel[0] * g.kernel[1] > 1 && g.kernel[0] * g.kernel[1] <= width;
}

/// One row per input pixel whose block meets the output; beyond the input (output padding) the pixels are zeros.
TKL_TAGGED constexpr row_space conv_transpose2d_block_rows(const conv2d_geometry& g, const strided_shape& x,
                                                           const strided_shape& y) {
  row_space s;
  s.extent[0] = y.extent[0];
  for (int i = 0; i < 3; ++i) s.in_stride[i] = x.stride[i];
  for (int i = 0; i < 2; ++i) {
    s.extent[i + 1] = ceil_div(y.extent[i + 1] + g.pad[i], g.stride[i]);
    s.in_extent[i] = x.extent[i + 1];
  }
  return s;
}

TKL_ISA_BEGIN
namespace impl {

/// Where the sums of blocks go.
template <class TC, class E>
struct block_context {
  strided4<TC> y{};
  std::int64_t stride[2]{}, pad[2]{};
  E epilogue{};

  /// Calls store(lane, place in y, offset) for each element of a pixel's block inside of the output.
  template <class Store>
  TKL_FN void each(const row_place& pixel, const Store& store) const {
    const strided_shape& s = y.shape;
    const std::int64_t image = pixel.outer[0], rows = stride[0], columns = stride[1];
    const std::int64_t top = pixel.outer[1] * rows - pad[0], left = pixel.outer[2] * columns - pad[1];
    const bool whole = top >= 0 && top + rows <= s.extent[1] && left >= 0 && left + columns <= s.extent[2];
    std::int64_t line = image * s.stride[0] + top * s.stride[1] + left * s.stride[2], lane = 0;
    for (std::int64_t row = top; row < top + rows; ++row, line += s.stride[1]) {
      std::int64_t at = line;
      for (std::int64_t column = left; column < left + columns; ++column, ++lane, at += s.stride[2])
        if (whole || (row >= 0 && row < s.extent[1] && column >= 0 && column < s.extent[2]))
          store(lane, position{{image, row, column}, 0}, at);
    }
  }
};

/// A tile_sink's function. An epilogue of the sum alone is evaluated for as many pixels as fit into a vector.
template <class M, class TC, class E>
TKL_NOINLINE void store_blocks(const void* context, const typename M::value* tile, const row_place* places, int rows,
                               std::int64_t, int taps) {
  const auto& c = *static_cast<const block_context<TC, E>*>(context);
  const typename M::scalar* sums = reinterpret_cast<const typename M::scalar*>(tile);
  const int pixels_at_once = of_sum_alone<E> ? M::width / taps : 1;
  typename M::scalar gathered[M::width]{};
  TC results[M::width]{};
  for (int row = 0; row < rows; row += pixels_at_once) {
    const int count = rows - row < pixels_at_once ? rows - row : pixels_at_once;
    for (int j = 0; j < taps; ++j)
      for (int i = 0; i < count; ++i) gathered[i * taps + j] = sums[(row + i) * M::width + j];
    if constexpr (of_sum_alone<E>) {
      const int lanes = count * taps;
      M::store(results, eval(c.epilogue, typename M::leaf{M::load(gathered), position{}, lanes}), lanes);
      for (int i = 0; i < count; ++i)
        c.each(places[row + i], [&](std::int64_t lane, const position&, std::int64_t offset) {
          c.y.data[offset] = results[i * taps + lane];
        });
    } else {
      c.each(places[row], [&](std::int64_t lane, const position& at, std::int64_t offset) {
        M::store(c.y.data + offset, eval(c.epilogue, typename M::leaf{M::load(gathered + lane, 1), at, 1}), 1);
      });
    }
  }
}

}  // namespace impl

/// Elements of a panel of one vector: biases and a row per channel.
template <class M, class TW>
TKL_FN constexpr std::int64_t one_vector_panel(std::int64_t in_channels) {
  return (bias_rows<TW> + in_channels) * M::width;
}

/// The panels of all taps, of which only the first lanes count, as the lanes of one panel.
template <class M, class TW>
TKL_NOINLINE void merge_panels(const TW* panels, std::int64_t taps, std::int64_t in_channels, TW* merged) {
  constexpr std::int64_t width = M::width, before = bias_rows<TW> * width;
  for (std::int64_t lane = 0; lane < width; ++lane) {
    const TW* panel = panels + (lane < taps ? lane : 0) * one_vector_panel<M, TW>(in_channels);
    reinterpret_cast<bias_type<TW>*>(merged)[lane] =
        lane < taps ? *reinterpret_cast<const bias_type<TW>*>(panel) : bias_type<TW>{};
    for (std::int64_t k = 0; k < in_channels * width; k += width)
      merged[before + k + lane] = lane < taps ? panel[before + k] : TW{};
  }
}

/// Computes y; see conv_transpose2d. `scratch`: executor.workers() times `bytes`, which hold the merged panel and
/// contraction_scratch_bytes of conv_transpose2d_block_rows.
template <conv_schedule S, class M, class TA, class TW, class TC, class E, class X>
void conv_transpose2d_blocks(const strided4<const TA>& x, const TW* weights, const strided4<TC>& y,
                             const conv2d_geometry& g, const E& epilogue, const X& executor, std::byte* scratch,
                             std::int64_t bytes) {
  const std::int64_t depth = x.shape.extent[3], taps = g.kernel[0] * g.kernel[1];
  const std::int64_t panel_bytes = round_up(one_vector_panel<M, TW>(depth) * std::int64_t{sizeof(TW)}, 64);
  const impl::block_context<TC, E> context{y, {g.stride[0], g.stride[1]}, {g.pad[0], g.pad[1]}, epilogue};
  contraction<M, TA, TW> c{.a = x.data};
  c.space = conv_transpose2d_block_rows(g, x.shape, y.shape);
  c.depth = depth;
  c.columns = taps;
  c.sink = {.context = &context, .store = &impl::store_blocks<M, TC, E>};
  if (c.space.rows() == 0) return;
  executor.parallel_for(contraction_parts<S.gemm()>(c), [&](std::int64_t begin, std::int64_t end, int worker) {
    TW* merged = reinterpret_cast<TW*>(scratch + worker * bytes);
    merge_panels<M>(weights, taps, depth, merged);
    contraction<M, TA, TW> own = c;
    own.panels = merged;
    contract<S.gemm()>(own, begin, end, scratch + worker * bytes + panel_bytes);
  });
}

TKL_ISA_END
}  // namespace tkl
