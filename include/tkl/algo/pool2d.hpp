// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over windows of rows and columns.
//
//   for image, output row                                   in parallel
//     for output column
//       for block of channels (a few vectors)
//         for tap inside the input                          the window is clipped once per row and per column
//           accumulators = max or sum with the input
//         divide (average), epilogue, store
//
// Padding never takes part: it is the identity of the maximum, and adds nothing to a sum. NaN in a window gives NaN.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/graph/attributes.hpp>

namespace tkl {

/// y[n, r, c, k] over the taps x[n, r * stride - pad + u * dilation, ..., k] inside x. Every window must meet the
/// input: the rule of the op sees to that. `include_pad` (average): the divisor counts the taps inside input and
/// padding, not those inside the input alone.
template <class TA, class TC>
struct pool2d_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
  std::int64_t kernel[2]{1, 1};
  std::int64_t stride[2]{1, 1};
  std::int64_t dilation[2]{1, 1};
  std::int64_t pad[4]{};  // top, left, bottom, right
  bool include_pad = false;
};

TKL_ISA_BEGIN
namespace impl {

/// Taps of one axis of a window: those that meet the input, and how many meet the padded input.
struct pool_taps {
  index_range inside{};
  std::int64_t padded = 0;
};

/// `axis`: 0 rows, 1 columns; `output`: the window's index along it.
template <class TA, class TC>
constexpr pool_taps taps_of_window(const pool2d_problem<TA, TC>& p, int axis, std::int64_t output) {
  const std::int64_t origin = output * p.stride[axis] - p.pad[axis], extent = p.x.shape.extent[1 + axis];
  return {indices_inside(origin, p.dilation[axis], extent, p.kernel[axis]),
          indices_inside(origin + p.pad[axis], p.dilation[axis], extent + p.pad[axis] + p.pad[2 + axis], p.kernel[axis])
              .count()};
}

/// Taps of a window that meet the input: rows x columns of them, `divisor` cells for an average.
struct pool_window {
  std::int64_t rows;
  std::int64_t columns;
  float divisor;
};

/// What the pixels of one output row share.
template <class TA, class TC>
struct pool_row {
  const TA* x;  // first row used, column 0
  std::int64_t row_step;
  std::int64_t column_step;    // between taps
  std::int64_t column_stride;  // between input columns
  TC* y;                       // column 0
  std::int64_t y_stride;
  std::int64_t channels;
};

/// `Vectors` vectors of channels of one window; the last one has `lanes` lanes where it is not whole.
template <pool_kind K, int Vectors, bool Whole, class M, class TA, class TC, class E>
TKL_FN void pool_block(const pool_row<TA, TC>& r, const pool_window& w, const TA* x, int lanes,
                       typename M::value divisor, const E& epilogue, position at, TC* y) {
  const auto load = [&](const TA* p, int i) {
    if constexpr (Whole) {
      return M::load(p + i * M::width);
    } else {
      return M::load(p, lanes);
    }
  };
  typename M::value best[Vectors];
  TKL_UNROLL
  for (int i = 0; i < Vectors; ++i) best[i] = load(x, i);
  for (std::int64_t u = 0; u < w.rows; ++u, x += r.row_step) {
    const TA* tap = x;
    for (std::int64_t v = 0; v < w.columns; ++v, tap += r.column_step) {
      if (u == 0 && v == 0) continue;
      TKL_UNROLL
      for (int i = 0; i < Vectors; ++i) {
        if constexpr (K == pool_kind::max) {
          best[i] = (math<typename M::value>::max)(best[i], load(tap, i));
        } else {
          best[i] = best[i] + load(tap, i);
        }
      }
    }
  }
  TKL_UNROLL
  for (int i = 0; i < Vectors; ++i, at.column += M::width) {
    if constexpr (K == pool_kind::average) best[i] = math<typename M::value>::div(best[i], divisor);
    if constexpr (Whole) {
      finish<M>(epilogue, best[i], at, y + i * M::width);
    } else {
      finish<M>(epilogue, best[i], at, y, lanes);
    }
  }
}

/// Output columns [at.outer[2], end) whose windows are equal but for their place; `first` is the input column of the
/// first tap of the first window, `stride` the distance of windows. A whole run of pixels in one function, with little
/// but the results going to memory: a store that waits for its cache line holds up all stores behind it.
template <pool_kind K, class M, class TA, class TC, class E>
TKL_NOINLINE void pool_columns(const pool_row<TA, TC>& row, const pool_window& window, std::int64_t first,
                               std::int64_t stride, std::int64_t end, const E& function, position at) {
  constexpr int vectors = 4;
  const pool_row<TA, TC> r = row;
  const pool_window w = window;
  const E epilogue = function;
  const typename M::value d = M::constant(w.divisor);
  const TA* x = r.x + first * r.column_stride;
  TC* y = r.y + at.outer[2] * r.y_stride;
  for (; at.outer[2] < end; ++at.outer[2], x += stride * r.column_stride, y += r.y_stride) {
    std::int64_t& c = at.column = 0;
    for (; c + vectors * M::width <= r.channels; c += vectors * M::width)
      pool_block<K, vectors, true, M>(r, w, x + c, M::width, d, epilogue, at, y + c);
    for (; c + M::width <= r.channels; c += M::width)
      pool_block<K, 1, true, M>(r, w, x + c, M::width, d, epilogue, at, y + c);
    if (c < r.channels)
      pool_block<K, 1, false, M>(r, w, x + c, static_cast<int>(r.channels - c), d, epilogue, at, y + c);
  }
}

}  // namespace impl

/// Pools `p` on machine M. Sums are the machine's values (f32), whatever the element types. Needs no scratch.
template <pool_kind K, class M, class TA, class TC, class E, class X>
void pool2d(const pool2d_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  if (is_empty(p.y)) return;
  const std::int64_t out_rows = p.y.shape.extent[1], out_columns = p.y.shape.extent[2],
                     in_columns = p.x.shape.extent[2];
  // Output columns whose first and last taps lie inside of the input.
  const std::int64_t last_tap = (p.kernel[1] - 1) * p.dilation[1];
  const index_range begin_inside = indices_inside(-p.pad[1], p.stride[1], in_columns, out_columns);
  const index_range end_inside = indices_inside(last_tap - p.pad[1], p.stride[1], in_columns, out_columns);
  const std::int64_t left = (std::max)(begin_inside.first, end_inside.first);
  const std::int64_t right = (std::max)(left, (std::min)(begin_inside.last, end_inside.last));
  executor.parallel_for(p.y.shape.extent[0] * out_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t n = item / out_rows, row = item % out_rows;
      const impl::pool_taps rows = impl::taps_of_window(p, 0, row);
      const std::int64_t first_row = row * p.stride[0] - p.pad[0] + rows.inside.first * p.dilation[0];
      const impl::pool_row<TA, TC> r{pixel(p.x, n, first_row, 0),
                                     p.dilation[0] * p.x.shape.stride[1],
                                     p.dilation[1] * p.x.shape.stride[2],
                                     p.x.shape.stride[2],
                                     pixel(p.y, n, row, 0),
                                     p.y.shape.stride[2],
                                     p.y.shape.extent[3]};
      for (std::int64_t column = 0; column < out_columns;) {
        const std::int64_t next = column == left && right > left ? right : column + 1;
        const impl::pool_taps columns = impl::taps_of_window(p, 1, column);
        assert(rows.inside.count() > 0 && columns.inside.count() > 0);
        const std::int64_t count =
            p.include_pad ? rows.padded * columns.padded : rows.inside.count() * columns.inside.count();
        const impl::pool_window window{rows.inside.count(), columns.inside.count(), static_cast<float>(count)};
        const std::int64_t first = column * p.stride[1] - p.pad[1] + columns.inside.first * p.dilation[1];
        impl::pool_columns<K, M>(r, window, first, p.stride[1], next, epilogue, position{{n, row, column}, 0});
        column = next;
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
