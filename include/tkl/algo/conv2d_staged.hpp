// SPDX-License-Identifier: Apache-2.0
// Convolution with few input channels, or whose input needs work first: u8 pictures, planes, another channel order.
//
// The input rows that a band of output rows needs are copied into scratch, padded; the prologue expression is evaluated
// once per copied element (convert, normalise, select), and padding is zero after it. A tap row then meets
// kernel_w * channels consecutive numbers, so the register tile runs over long rows instead of three channels at a
// time.
//
//   for image: for band of output rows:
//     stage input rows:  staged[row][pad_left + column][channel] = prologue(x[n, row, column, channel])
//     for block of pixels, panel: see algo/contraction.hpp, with kernel_h taps of kernel_w * channels
//
// With groups or a column dilation the taps stay apart: kernel_h * kernel_w taps of channels / groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/schedule/conv.hpp>
#include <type_traits>

namespace tkl {

/// As conv2d_problem; the channels of x are `inner` elements apart (planes: h * w; reversed channels: -1).
template <class TA, class TW, class TC>
struct conv2d_staged_problem {
  strided4<const TA> x{};
  std::int64_t inner = 1;
  const TW* weights = nullptr;  // pack_conv2d for the same schedule, 64-byte aligned
  strided4<TC> y{};
  conv2d_geometry geometry{};
};

/// The band that is staged at a time.
struct staged_band {
  std::int64_t out_rows = 0;  // output rows per band
  std::int64_t rows = 0;      // input rows that they need
  std::int64_t columns = 0;   // input columns that an output row needs, padding included
};
TKL_TAGGED constexpr staged_band band_of(const conv_schedule& s, const conv2d_geometry& g, const strided_shape& y) {
  staged_band b;
  b.out_rows = y.extent[1] < s.band ? y.extent[1] : s.band;
  if (b.out_rows == 0 || y.extent[2] == 0) return {};
  b.rows = (b.out_rows - 1) * g.stride[0] + (g.kernel[0] - 1) * g.dilation[0] + 1;
  b.columns = (y.extent[2] - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1;
  return b;
}

/// The rows of `out_rows` output rows over a staged band.
TKL_TAGGED constexpr row_space staged_rows(const conv2d_geometry& g, const staged_band& band, std::int64_t channels,
                                           const strided_shape& y, std::int64_t out_rows) {
  row_space s;
  s.extent[0] = 1, s.extent[1] = out_rows, s.extent[2] = y.extent[2];
  s.in_extent[0] = band.rows, s.in_extent[1] = band.columns;
  s.in_stride[1] = band.columns * channels, s.in_stride[2] = channels;
  for (int i = 0; i < 2; ++i) {
    s.in_step[i] = g.stride[i];
    s.taps[i] = g.kernel[i];
    s.tap_step[i] = g.dilation[i];
  }
  if (g.groups == 1 && g.dilation[1] == 1) s.taps[1] = g.kernel[1] > 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) s.out_stride[i] = y.stride[i];
  return s;
}

/// Bytes of scratch per worker of conv2d_staged. `scalar_bytes`: 4 on f32 machines, 8 on the reference machine.
TKL_TAGGED constexpr std::int64_t conv2d_staged_scratch_bytes(const conv_schedule& s, const conv2d_geometry& g,
                                                              const strided_shape& x, const strided_shape& y,
                                                              std::int64_t scalar_bytes = 4) {
  const staged_band band = band_of(s, g, y);
  const std::int64_t staged = round_up(band.rows * band.columns * x.extent[3] * scalar_bytes, 64);
  const row_space space = staged_rows(g, band, x.extent[3], y, band.out_rows);
  return staged + contraction_scratch_bytes(s.gemm(), space, 0, scalar_bytes);
}

TKL_ISA_BEGIN

/// Whether an expression has the same value wherever its accumulator does: it names no place.
template <class E>
inline constexpr bool place_independent = false;
template <>
inline constexpr bool place_independent<acc_node> = true;
template <>
inline constexpr bool place_independent<literal_node> = true;
template <class T>
inline constexpr bool place_independent<scalar_node<T>> = true;
template <class F, class... A>
inline constexpr bool place_independent<apply_node<F, A...>> = (... && place_independent<A>);

/// Whether an expression reads nothing that lies in memory by place: it may then run over pixel borders, with the
/// indices of each lane at hand.
template <class E>
inline constexpr bool runs_over_pixels = place_independent<E>;
template <>
inline constexpr bool runs_over_pixels<index_node> = true;
template <class F, class... A>
inline constexpr bool runs_over_pixels<apply_node<F, A...>> = (... && runs_over_pixels<A>);

/// Leaf policy of consecutive numbers of several pixels of a row: pixel and channel are values of their own.
template <class M>
struct run_leaf {
  typename M::leaf row;
  typename M::value pixel, channel;
  TKL_FN auto accumulator() const { return row.accumulator(); }
  TKL_FN auto literal(float v) const { return row.literal(v); }
  template <class T>
  TKL_FN auto scalar(const scalar_node<T>& n) const {
    return row.scalar(n);
  }
  TKL_FN auto index(const index_node& n) const { return n.axis == 2 ? pixel : n.axis == 3 ? channel : row.index(n); }
};

/// Copies `channels` channels of `columns` pixels into one run of consecutive elements. A function of its own: inlined,
/// g++ 12 at -O3 warns of writes behind the caller's buffer, whose bound it does not see.
template <class TA>
TKL_NOINLINE void gather_pixels(const TA* x, std::int64_t column_stride, std::int64_t inner, std::int64_t columns,
                                std::int64_t channels, TA* to) {
  if (channels == 3) {  // pictures
    for (std::int64_t w = 0; w < columns; ++w, x += column_stride, to += 3) {
      to[0] = x[0];
      to[1] = x[inner];
      to[2] = x[2 * inner];
    }
    return;
  }
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t w = 0; w < columns; ++w) to[w * channels + c] = x[w * column_stride + c * inner];
}

/// Copies `columns` pixels of one input row through the prologue; `at` is the place of the first.
template <class M, class TA, class P>
TKL_NOINLINE void stage_pixels(const TA* x, std::int64_t column_stride, std::int64_t inner, std::int64_t columns,
                               std::int64_t channels, const P& prologue, position at, typename M::scalar* to) {
  constexpr int width = M::width;
  if constexpr (place_independent<P>) {
    // Pixel borders do not matter: whole vectors, straight from memory or gathered a few vectors at a time.
    const auto convert = [&](const TA* from, std::int64_t count) {
      for (std::int64_t i = 0; i < count; i += width) {
        const int lanes = count - i < width ? static_cast<int>(count - i) : width;
        const typename M::value v = lanes == width ? M::load(from + i) : M::load(from + i, lanes);
        M::store(to, eval(prologue, typename M::leaf{v, at, lanes}), lanes);
        to += lanes;
      }
    };
    if (inner == 1 && (column_stride == channels || columns == 1)) {
      convert(x, columns * channels);
      return;
    }
    std::int64_t w = 0;
    if (channels == 3 && column_stride == 1) {  // the planes of a picture
      const auto plane = [&](int c) {
        return eval(prologue, typename M::leaf{M::load(x + (w + c * inner)), at, width});
      };
      for (; w + width <= columns; w += width, to += 3 * width) M::store_triples(to, plane(0), plane(1), plane(2));
    }
    if constexpr (std::is_same_v<P, acc_node> && std::is_same_v<TA, typename M::scalar>) {
      gather_pixels(x + w * column_stride, column_stride, inner, columns - w, channels, to);
    } else {
      constexpr std::int64_t batch = 16 * width;
      TA gathered[batch];
      const std::int64_t part = (std::min)(channels, batch), pixels = batch / (std::max)(part, std::int64_t{1});
      for (; w < columns; w += pixels)
        for (std::int64_t c = 0; c < channels; c += part) {
          const std::int64_t n = (std::min)(pixels, columns - w), m = (std::min)(part, channels - c);
          gather_pixels(x + (w * column_stride + c * inner), column_stride, inner, n, m, gathered);
          convert(gathered, n * m);
        }
    }
  } else if constexpr (runs_over_pixels<P>) {
    constexpr int batch = 16 * width;
    TA gathered[batch];
    float pixel[batch], channel[batch];
    int filled = 0;
    const auto convert = [&] {
      for (int i = 0; i < filled; i += width) {
        const int lanes = filled - i < width ? filled - i : width;
        const run_leaf<M> leaf{
            {M::load(gathered + i, lanes), at, lanes}, M::load(pixel + i, lanes), M::load(channel + i, lanes)};
        M::store(to, eval(prologue, leaf), lanes);
        to += lanes;
      }
      filled = 0;
    };
    for (std::int64_t w = 0; w < columns; ++w)
      for (std::int64_t c = 0; c < channels; ++c) {
        gathered[filled] = x[w * column_stride + c * inner];
        pixel[filled] = static_cast<float>(at.outer[2] + w);
        channel[filled] = static_cast<float>(c);
        if (++filled == batch) convert();
      }
    convert();
  } else {
    for (std::int64_t w = 0; w < columns; ++w, x += column_stride, ++at.outer[2]) {
      for (at.column = 0; at.column < channels; at.column += width) {
        const int lanes = static_cast<int>(channels - at.column < width ? channels - at.column : width);
        const TA* from = x + at.column * inner;
        const typename M::value v = inner == 1 ? M::load(from, lanes) : M::load_strided(from, inner, lanes);
        M::store(to, eval(prologue, typename M::leaf{v, at, lanes}), lanes);
        to += lanes;
      }
    }
  }
}

/// Fills the staged band of output rows that starts at output row `first` of image n.
template <class M, class TA, class TW, class TC, class P>
void stage_band(const conv2d_staged_problem<TA, TW, TC>& p, const P& prologue, std::int64_t n, std::int64_t first,
                const staged_band& band, typename M::scalar* staged) {
  using scalar = typename M::scalar;
  const strided_shape& x = p.x.shape;
  const std::int64_t channels = x.extent[3], left = p.geometry.pad[1];
  const std::int64_t inside = band.columns - left < x.extent[2] ? band.columns - left : x.extent[2];
  for (std::int64_t r = 0; r < band.rows; ++r, staged += band.columns * channels) {
    const std::int64_t y = first * p.geometry.stride[0] - p.geometry.pad[0] + r;
    const std::int64_t copied = y >= 0 && y < x.extent[1] && inside > 0 ? inside : 0;
    const std::int64_t before = copied > 0 ? left : 0;
    for (std::int64_t i = 0; i < before * channels; ++i) staged[i] = scalar{};
    for (std::int64_t i = (before + copied) * channels; i < band.columns * channels; ++i) staged[i] = scalar{};
    if (copied > 0)
      stage_pixels<M>(p.x.data + (n * x.stride[0] + y * x.stride[1]), x.stride[2], p.inner, copied, channels, prologue,
                      position{{n, y, 0}, 0}, staged + before * channels);
  }
}

/// Computes y. `scratch`: executor.workers() times conv2d_staged_scratch_bytes, 64-byte aligned. The prologue's place
/// is {image, input row, input column}, channel.
template <conv_schedule S, class M, class TA, class TW, class TC, class P, class E, class X>
void conv2d_staged(const conv2d_staged_problem<TA, TW, TC>& p, const P& prologue, const E& epilogue, const X& executor,
                   std::byte* scratch) {
  using scalar = typename M::scalar;
  const strided_shape &x = p.x.shape, &y = p.y.shape;
  const conv2d_geometry& g = p.geometry;
  const staged_band band = band_of(S, g, y);
  if (band.out_rows == 0) return;
  const std::int64_t bands = ceil_div(y.extent[1], band.out_rows);
  const std::int64_t group_in = x.extent[3] / g.groups, group_out = y.extent[3] / g.groups;
  const std::int64_t bytes = conv2d_staged_scratch_bytes(S, g, x, y, sizeof(scalar));
  const std::int64_t staged_bytes = round_up(band.rows * band.columns * x.extent[3] * std::int64_t{sizeof(scalar)}, 64);
  const epilogue_context<TC, E> context{p.y.data, epilogue};
  executor.parallel_for(y.extent[0] * bands, [&](std::int64_t begin, std::int64_t end, int worker) {
    scalar* staged = reinterpret_cast<scalar*>(scratch + worker * bytes);
    std::byte* pointers = scratch + worker * bytes + staged_bytes;
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t n = part / bands, first = part % bands * band.out_rows;
      const std::int64_t out_rows = y.extent[1] - first < band.out_rows ? y.extent[1] - first : band.out_rows;
      stage_band<M>(p, prologue, n, first, band, staged);
      contraction<M, scalar, TW> c{.space = staged_rows(g, band, x.extent[3], y, out_rows)};
      c.space.out_first[0] = n, c.space.out_first[1] = first;
      c.depth = group_in * (g.kernel[1] / (c.space.taps[1] > 0 ? c.space.taps[1] : 1));
      c.columns = group_out;
      c.sink = sink_of<S.gemm(), M>(context);
      c.panels = p.weights;
      for (std::int64_t group = 0; group < g.groups; ++group) {
        c.a = staged + group * group_in;
        c.first_column = group * group_out;
        contract<S.gemm()>(c, 0, contraction_parts<S.gemm()>(c), pointers);
        c.panels += packed_matrix_elements(c.space.tap_count() * c.depth, group_out, M::width, bias_rows<TW>);
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
