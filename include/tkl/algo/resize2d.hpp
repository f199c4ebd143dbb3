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

#include <tkl/algo/finish.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/resize_source.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>

#include <algorithm>
#include <cstdint>

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
TKL_NOINLINE void resize_pixel(const TA* const (&x)[Taps], const float (&weight)[Taps], std::int64_t channels,
                               const E& epilogue, position at, TC* y) {
  typename M::value w[Taps];
  for (int t = 0; t < Taps; ++t) w[t] = M::constant(weight[t]);
  const auto blend = [&](const auto& load) {
    typename M::value sum = load(x[0]);
    if constexpr (Taps > 1) {
      sum = sum * w[0];
      TKL_UNROLL
      for (int t = 1; t < Taps; ++t) M::mac(sum, load(x[t]), w[t]);
    }
    return sum;
  };
  for (; at.column + M::width <= channels; at.column += M::width)
    finish<M>(epilogue, blend([&](const TA* p) { return M::load(p + at.column); }), at, y + at.column);
  if (at.column < channels) {
    const int lanes = static_cast<int>(channels - at.column);
    finish<M>(epilogue, blend([&](const TA* p) { return M::load(p + at.column, lanes); }), at, y + at.column, lanes);
  }
}

/// One output pixel from its sources along rows and columns.
template <resize_kind K, class M, class TA, class TC, class E>
TKL_FN void resize_place(const strided4<const TA>& x, const resize_source& row, const resize_source& column,
                         std::int64_t channels, const E& epilogue, const position& at, TC* y) {
  const TA* upper = pixel(x, at.outer[0], row.low, column.low);
  if constexpr (K == resize_kind::nearest) {
    resize_pixel<1, M>({upper}, {1.0f}, channels, epilogue, at, y);
  } else {
    const std::int64_t right = (column.high - column.low) * x.shape.stride[2];
    const std::int64_t down = (row.high - row.low) * x.shape.stride[1];
    const double r = row.weight, c = column.weight;
    if (right == 0 && down == 0) {
      resize_pixel<1, M>({upper}, {1.0f}, channels, epilogue, at, y);
    } else if (down == 0) {
      resize_pixel<2, M>({upper, upper + right}, {static_cast<float>(1.0 - c), static_cast<float>(c)}, channels, epilogue,
                         at, y);
    } else if (right == 0) {
      resize_pixel<2, M>({upper, upper + down}, {static_cast<float>(1.0 - r), static_cast<float>(r)}, channels, epilogue,
                         at, y);
    } else {
      resize_pixel<4, M>({upper, upper + right, upper + down, upper + down + right},
                         {static_cast<float>((1.0 - r) * (1.0 - c)), static_cast<float>((1.0 - r) * c),
                          static_cast<float>(r * (1.0 - c)), static_cast<float>(r * c)},
                         channels, epilogue, at, y);
    }
  }
}

}  // namespace impl

/// Resizes `p` on machine M. Needs no scratch; the table of sources takes 1 KiB of stack.
template <resize_kind K, class M, class TA, class TC, class E, class X>
void resize2d(const resize2d_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  if (is_empty(p.y)) return;
  constexpr std::int64_t block_rows = 8, block_columns = 64;
  const auto& in = p.x.shape.extent;
  const auto& out = p.y.shape.extent;
  const resize_axis rows{in[1], out[1], p.scale[0], p.coordinates, p.rounding};
  const resize_axis columns{in[2], out[2], p.scale[1], p.coordinates, p.rounding};
  const std::int64_t down = ceil_div(out[1], block_rows), across = ceil_div(out[2], block_columns);
  executor.parallel_for(out[0] * down * across, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / across / down;
      const std::int64_t top = item / across % down * block_rows, left = item % across * block_columns;
      const std::int64_t bottom = std::min(top + block_rows, out[1]), right = std::min(left + block_columns, out[2]);
      resize_source table[block_columns];
      for (std::int64_t column = left; column < right; ++column) table[column - left] = source_of<K>(columns, column);
      for (std::int64_t row = top; row < bottom; ++row) {
        const resize_source source = source_of<K>(rows, row);
        for (std::int64_t column = left; column < right; ++column)
          impl::resize_place<K, M>(p.x, source, table[column - left], out[3], epilogue, position{{n, row, column}, 0},
                                     pixel(p.y, n, row, column));
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
