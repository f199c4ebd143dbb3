// SPDX-License-Identifier: Apache-2.0
// Resizing of rows and columns: nearest neighbour, or bilinear interpolation.
//
//   for image, block of output rows, block of output columns     in parallel
//     sources of the columns                                      a table in the block's stack frame
//     for output row of the block
//       for output column of the block
//         for vector of channels
//           accumulator = the nearest input, or the sum of the 1, 2 or 4 inputs around, times their weights
//           epilogue, store
//
// An input whose weight is 0 is not read: an infinity there does not become NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/resize_source.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>

namespace tkl {

/// y[n, r, c, k] = x at the place that r and c read along their axes. x has at least one row and column unless y is
/// empty. `scale`: rows, columns; output per input, 0 for the extents' ratio. `rounding` is for nearest.
template <class TA, class TC>
struct resize2d_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
  float scale[2]{};
  coordinate_kind coordinates = coordinate_kind::half_pixel;
  rounding_kind rounding = rounding_kind::round_prefer_floor;
};

TKL_ISA_BEGIN
namespace impl {

/// Sum of `Taps` weighted pixels, all channels; one tap is a copy.
template <int Taps, class M, class TA, class TC, class E>
TKL_FN void resize_pixel(const TA* const (&x)[Taps], const double (&weight)[Taps], std::int64_t channels,
                         const E& epilogue, position& at, TC* y) {
  typename M::value w[Taps];
  if constexpr (Taps > 1) {
    for (int t = 0; t < Taps; ++t) w[t] = M::constant(static_cast<float>(weight[t]));
  }
  const auto blend = [&](const auto& load) {
    typename M::value sum = load(x[0]);
    if constexpr (Taps > 1) {
      sum = sum * w[0];
      TKL_UNROLL
      for (int t = 1; t < Taps; ++t) M::mac(sum, load(x[t]), w[t]);
    }
    return sum;
  };
  for (at.column = 0; at.column + M::width <= channels; at.column += M::width)
    finish<M>(epilogue, blend([&](const TA* p) { return M::load(p + at.column); }), at, y + at.column);
  if (at.column < channels) {
    const int lanes = static_cast<int>(channels - at.column);
    finish<M>(epilogue, blend([&](const TA* p) { return M::load(p + at.column, lanes); }), at, y + at.column, lanes);
  }
}

/// Output columns [at.outer[2], right) of one row, whose sources are in `table`. A whole run of pixels in one function,
/// with little but the results going to memory: a store that waits for its cache line holds up all stores behind it.
template <resize_kind K, class M, class TA, class TC, class E>
TKL_NOINLINE void resize_columns(const strided4<const TA>& input, const resize_source& row, const resize_source* table,
                                 std::int64_t right, std::int64_t channels, const E& function, position at, TC* y,
                                 std::int64_t y_stride) {
  const E epilogue = function;
  const TA* const upper = pixel(input, at.outer[0], row.low, 0);
  const std::int64_t step = input.shape.stride[2], down = (row.high - row.low) * input.shape.stride[1];
  for (; at.outer[2] < right; ++at.outer[2], ++table, y += y_stride) {
    const TA* const x = upper + table->low * step;
    if constexpr (K == resize_kind::nearest) {
      resize_pixel<1, M>({x}, {1.0}, channels, epilogue, at, y);
    } else {
      const std::int64_t across = (table->high - table->low) * step;
      const double r = row.weight, c = table->weight;
      if (across == 0 && down == 0) {
        resize_pixel<1, M>({x}, {1.0}, channels, epilogue, at, y);
      } else if (down == 0) {
        resize_pixel<2, M>({x, x + across}, {1.0 - c, c}, channels, epilogue, at, y);
      } else if (across == 0) {
        resize_pixel<2, M>({x, x + down}, {1.0 - r, r}, channels, epilogue, at, y);
      } else {
        resize_pixel<4, M>({x, x + across, x + down, x + down + across},
                           {(1.0 - r) * (1.0 - c), (1.0 - r) * c, r * (1.0 - c), r * c}, channels, epilogue, at, y);
      }
    }
  }
}

}  // namespace impl

/// Resizes `p` on machine M. Needs no scratch; the table of sources takes 4 KiB of stack.
template <resize_kind K, class M, class TA, class TC, class E, class X>
void resize2d(const resize2d_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  if (is_empty(p.y)) return;
  constexpr std::int64_t block_rows = 8, block_columns = 256;
  const auto& in = p.x.shape.extent;
  const auto& out = p.y.shape.extent;
  const resize_axis rows{in[1], out[1], p.scale[0], p.coordinates, p.rounding};
  const resize_axis columns{in[2], out[2], p.scale[1], p.coordinates, p.rounding};
  const std::int64_t down = ceil_div(out[1], block_rows), across = ceil_div(out[2], block_columns);
  executor.parallel_for(out[0] * down * across, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / across / down;
      const std::int64_t top = item / across % down * block_rows, left = item % across * block_columns;
      const std::int64_t bottom = (std::min)(top + block_rows, out[1]),
                         right = (std::min)(left + block_columns, out[2]);
      resize_source table[block_columns];
      for (std::int64_t column = left; column < right; ++column) table[column - left] = source_of<K>(columns, column);
      for (std::int64_t row = top; row < bottom; ++row) {
        const resize_source source = source_of<K>(rows, row);
        impl::resize_columns<K, M>(p.x, source, table, right, out[3], epilogue, position{{n, row, left}, 0},
                                   pixel(p.y, n, row, left), p.y.shape.stride[2]);
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
