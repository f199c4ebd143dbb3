// SPDX-License-Identifier: Apache-2.0
// 3 x 3 convolution of stride 1 by Winograd's minimal filtering: fewer products than the direct form (16 instead of 36
// for 2 x 2 outputs, 36 instead of 144 for 4 x 4), and transforms before and behind them (algo/winograd_transform.hpp).
//
//   for block of tiles (m x m outputs each):
//     for tile: for vector of input channels:            V[xi][tile][channels] = B^T d B, d zero outside of the input
//     for xi in (m + 2)^2:                               products P[xi] = V[xi] * U[xi], the loop nest of
//                                                        algo/contraction.hpp on packed panels
//     for tile: for panel of output channels:            A^T P A + bias, epilogue, store
//
// A block's V and P stay in the second-level cache where the channels allow that (schedule/winograd.hpp). Input columns
// are consecutive, all other strides free; any padding. Range: with tiles of 4 x 4, sums in between are up to 3600
// times (2 x 2: 80 times) the sum of the products' magnitudes. A NaN or an infinity of the input reaches every output
// of the tiles that read it. Blocks x panels are the executor's parts, and no sum depends on how they are shared: the
// same bits for any number of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/winograd_transform.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/winograd.hpp>

namespace tkl {

/// A convolution: x is n, h, w, c; y is n, oh, ow, o. The kernel is 3 x 3, stride and dilation 1, one group.
template <class TA, class TW, class TC>
struct winograd_problem {
  strided4<const TA> x{};
  const TW* weights = nullptr;  // pack_winograd for the same tile and schedule, 64-byte aligned
  strided4<TC> y{};
  std::int64_t pad[2]{};  // top, left
};

TKL_TAGGED constexpr winograd_shape winograd_shape_of(const strided_shape& x, const strided_shape& y) {
  return {y.extent[0], y.extent[1], y.extent[2], x.extent[3], y.extent[3]};
}

/// Where the parts of a worker's scratch lie, in scalars of the machine: V, P, a row of zeros. Each of the (m + 2)^2
/// matrices of V and P is a cache line longer than it needs to be: without that, many places of one tile meet one set
/// of the first-level cache.
struct winograd_scratch {
  std::int64_t block = 0;     // tiles
  std::int64_t in_step = 0;   // from a matrix of V to the next
  std::int64_t columns = 0;   // of P: whole vectors
  std::int64_t out_step = 0;  // from a matrix of P to the next
  std::int64_t products = 0;  // P
  std::int64_t zeros = 0;
  std::int64_t scalars = 0;

  TKL_TAGGED constexpr winograd_scratch(const winograd_shape& s, const conv_schedule& schedule, int outputs, int width,
                                        std::int64_t l2_bytes) {
    constexpr std::int64_t line = 16;
    const std::int64_t matrices = winograd_products(outputs);
    block =
        (std::min)(s.tiles(outputs), winograd_block(s, outputs, schedule.mr, block_rows(schedule.gemm(), 1), l2_bytes));
    columns = round_up(s.out_channels, width);
    in_step = round_up(block * s.in_channels, line) + line;
    out_step = round_up(block * columns, line) + line;
    products = matrices * in_step;
    zeros = products + matrices * out_step;
    scalars = zeros + round_up(s.in_channels, line);
  }
};

/// Bytes of scratch per worker; a scalar of the machine has `scalar_bytes`.
TKL_TAGGED constexpr std::int64_t winograd_scratch_bytes(const conv_schedule& schedule, int outputs, int width,
                                                         std::int64_t l2_bytes, const strided_shape& x,
                                                         const strided_shape& y, std::int64_t scalar_bytes) {
  return round_up(winograd_scratch(winograd_shape_of(x, y), schedule, outputs, width, l2_bytes).scalars * scalar_bytes,
                  64);
}

TKL_ISA_BEGIN

namespace impl {

/// Corner of a tile: image, and row and column of its first output.
struct winograd_tile {
  std::int64_t image = 0, row = 0, column = 0;
  TKL_FN winograd_tile(std::int64_t index, const std::int64_t (&extent)[4], int outputs) {
    const std::int64_t across = ceil_div(extent[2], outputs), down = ceil_div(extent[1], outputs);
    image = index / (across * down);
    row = index / across % down * outputs;
    column = index % across * outputs;
  }
};

/// V of the tiles [first, first + count).
template <int Outputs, class M, class TA>
TKL_NOINLINE void transform_block(const strided4<const TA>& x, const std::int64_t (&y_extent)[4],
                                  const std::int64_t (&pad)[2], std::int64_t first, std::int64_t count, const TA* zeros,
                                  std::int64_t matrix_step, typename M::scalar* v) {
  using value = typename M::value;
  constexpr int side = winograd_side(Outputs);
  const strided_shape s = x.shape;
  const std::int64_t channels = s.extent[3];
  constexpr int per_line = 64 / int{sizeof(TA)}, lines = (Outputs * M::width + per_line - 1) / per_line;
  for (std::int64_t t = 0; t < count; ++t) {
    const winograd_tile tile(first + t, y_extent, Outputs);
    const TA* pixel[side][side];
    for (std::int64_t i = 0, row = tile.row - pad[0]; i < side; ++i, ++row)
      for (std::int64_t j = 0, column = tile.column - pad[1]; j < side; ++j, ++column) {
        const bool inside = row >= 0 && row < s.extent[1] && column >= 0 && column < s.extent[2];
        pixel[i][j] = inside ? x.data + (tile.image * s.stride[0] + row * s.stride[1] + column * s.stride[2]) : zeros;
      }
    typename M::scalar* to = v + t * channels;
    // The pixels that the next tile adds are fetched meanwhile: so many short streams escape the hardware.
    const std::int64_t next_row = tile.row - pad[0], next_column = tile.column - pad[1] + side;
    const bool fetches = next_row >= 0 && next_row + side <= s.extent[1] && next_column + Outputs <= s.extent[2];
    const TA* next = x.data + tile.image * s.stride[0];
    if (fetches) next += next_row * s.stride[1] + next_column * s.stride[2];
    const auto vector = [&](std::int64_t c, const auto& load, const auto& store) __attribute__((always_inline)) {
      if (fetches) {
        TKL_UNROLL
        for (int i = 0; i < side; ++i)
          for (int line = 0; line < lines; ++line)
            __builtin_prefetch(next + (i * s.stride[1] + Outputs * c + line * per_line), 0, 2);
      }
      value rows[side][side];  // transformed along columns: rows[j] is column j
      TKL_UNROLL
      for (int j = 0; j < side; ++j) {
        value d[side];
        TKL_UNROLL
        for (int i = 0; i < side; ++i) d[i] = load(pixel[i][j] + c);
        transform_input<M, side>(d, rows[j]);
      }
      TKL_UNROLL
      for (int i = 0; i < side; ++i) {
        value d[side], transformed[side];
        TKL_UNROLL
        for (int j = 0; j < side; ++j) d[j] = rows[j][i];
        transform_input<M, side>(d, transformed);
        TKL_UNROLL
        for (int j = 0; j < side; ++j) store(to + (i * side + j) * matrix_step + c, transformed[j]);
      }
    };
    std::int64_t c = 0;
    for (; c + M::width <= channels; c += M::width)
      vector(
          c, [](const TA* p) { return M::load(p); }, [](typename M::scalar* p, const value& r) { M::store(p, r); });
    if (const int lanes = static_cast<int>(channels - c); lanes > 0)
      vector(
          c, [lanes](const TA* p) { return M::load(p, lanes); },
          [lanes](typename M::scalar* p, const value& r) { M::store(p, r, lanes); });
  }
}

/// Outputs of one tile and one panel of `vectors` vectors: A^T P A + bias, row by row of the tile, without those beyond
/// the output. `p`: the panel's first product of the tile.
template <int Outputs, class M, class TW>
TKL_NOINLINE void transform_products(const typename M::scalar* p, std::int64_t matrix_step, const TW* bias, int vectors,
                                     std::int64_t rows, std::int64_t columns, typename M::value* sums) {
  using value = typename M::value;
  constexpr int side = winograd_side(Outputs);
  for (int vector = 0; vector < vectors; ++vector, p += M::width, bias += M::width) {
    value across[Outputs][side];
    TKL_UNROLL
    for (int j = 0; j < side; ++j) {
      value x[side], y[Outputs];
      TKL_UNROLL
      for (int i = 0; i < side; ++i) x[i] = M::load(p + (i * side + j) * matrix_step);
      transform_output<M, side>(x, y);
      TKL_UNROLL
      for (int i = 0; i < Outputs; ++i) across[i][j] = y[i];
    }
    const value start = M::load(bias);
    value* to = sums + vector;
    for (std::int64_t i = 0; i < rows; ++i) {
      value y[Outputs];
      transform_output<M, side>(across[i], y);
      for (std::int64_t j = 0; j < columns; ++j, to += vectors) *to = y[j] + start;
    }
  }
}

/// The convolution with its results going to a sink; compiled once for all epilogues. y: shape of the output.
template <int Outputs, conv_schedule S, std::int64_t L2Bytes, class M, class TA, class TW, class X>
TKL_NOINLINE void winograd_to_sink(const strided4<const TA>& x, const TW* weights, const strided_shape& y,
                                   const std::int64_t (&pad)[2], const tile_sink<M>& sink, const X& executor,
                                   std::byte* scratch) {
  static_assert(bias_rows<TW> == 1, "transformed weights are not of 16 bits");
  using scalar = typename M::scalar;
  constexpr gemm_schedule tile = S.gemm();
  constexpr panel_shape shape = panels_of(S.nr, M::width);
  const winograd_shape whole = winograd_shape_of(x.shape, y);
  const winograd_scratch place(whole, S, Outputs, M::width, L2Bytes);
  const std::int64_t tiles = whole.tiles(Outputs), channels = whole.in_channels, outs = whole.out_channels;
  if (tiles == 0 || outs == 0) return;
  const std::int64_t panels = panel_count(outs, shape), matrix = packed_matrix_elements(channels, outs, M::width);
  const std::int64_t bytes = round_up(place.scalars * std::int64_t{sizeof(scalar)}, 64);
  executor.parallel_for(ceil_div(tiles, place.block) * panels, [&](std::int64_t begin, std::int64_t end, int worker) {
    scalar* const v = reinterpret_cast<scalar*>(scratch + worker * bytes);
    scalar* const products = v + place.products;
    TA* const zeros = reinterpret_cast<TA*>(v + place.zeros);
    for (std::int64_t c = 0; c < channels; ++c) zeros[c] = TA{};
    one_tap_scratch<tile> pointers;
    alignas(64) typename M::value sums[Outputs * Outputs * (S.nr + 1)];
    row_place places[Outputs * Outputs];
    for (std::int64_t part = begin; part < end;) {
      const std::int64_t block = part / panels, first = part % panels;
      const std::int64_t last = (std::min)(panels, first + (end - part)), first_tile = block * place.block;
      const std::int64_t count = (std::min)(place.block, tiles - first_tile);
      transform_block<Outputs, M>(x, y.extent, pad, first_tile, count, static_cast<const TA*>(zeros), place.in_step, v);

      for (int xi = 0; xi < winograd_products(Outputs); ++xi) {
        const epilogue_context<scalar, acc_node> stored{products + xi * place.out_step, {}};
        contraction<M, scalar, TW> c{.a = v + xi * place.in_step};
        c.space.extent[0] = c.space.extent[1] = 1, c.space.extent[2] = count;
        c.space.in_extent[0] = 1, c.space.in_extent[1] = count;
        c.space.in_stride[2] = channels, c.space.out_stride[2] = place.columns;
        c.panels = weights + place.columns + xi * matrix;
        c.depth = channels, c.columns = outs;
        c.sink = sink_of<tile, M>(stored);
        contract<tile>(c, first, last, pointers.bytes);
      }

      for (std::int64_t t = 0; t < count; ++t) {
        const winograd_tile at(first_tile + t, y.extent, Outputs);
        const std::int64_t rows = (std::min)(std::int64_t{Outputs}, y.extent[1] - at.row);
        const std::int64_t columns = (std::min)(std::int64_t{Outputs}, y.extent[2] - at.column);
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            const std::int64_t row = at.row + i, column = at.column + j;
            places[i * columns + j] = {{at.image, row, column},
                                       at.image * y.stride[0] + row * y.stride[1] + column * y.stride[2]};
          }
        for (std::int64_t panel = first; panel < last; ++panel) {
          const std::int64_t column = panel * shape.panel;
          const int used = static_cast<int>(panel_columns(outs - column, shape));
          const int vectors = (used + M::width - 1) / M::width;
          transform_products<Outputs, M>(products + t * place.columns + column, place.out_step, weights + column,
                                         vectors, rows, columns, sums);
          sink.store(sink.context, sums, places, static_cast<int>(rows * columns), column, used);
        }
      }
      part += last - first;
    }
  });
}

}  // namespace impl

/// Computes y. `scratch`: executor.workers() times winograd_scratch_bytes, 64-byte aligned. `L2Bytes`: as given there.
template <int Outputs, conv_schedule S, std::int64_t L2Bytes, class M, class TA, class TW, class TC, class E, class X>
void winograd(const winograd_problem<TA, TW, TC>& p, const E& epilogue, const X& executor, std::byte* scratch) {
  const epilogue_context<TC, E> context{p.y.data, epilogue};
  impl::winograd_to_sink<Outputs, S, L2Bytes, M>(p.x, p.weights, p.y.shape, p.pad, sink_of<S.gemm(), M>(context),
                                                 executor, scratch);
}

TKL_ISA_END
}  // namespace tkl
