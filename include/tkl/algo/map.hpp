// SPDX-License-Identifier: Apache-2.0
// Element-wise map: every element of a four-axis output is the value of one expression. Copies, casts and transposed
// copies are maps too.
//
//   for tile of rows x columns (n, h fixed):     the unit of work for the executor
//     for row w of the tile:
//       for vector of columns:  y = expression   masked at the end
//
// Trailing axes merge into the columns as far as the output and every operand allow, so that a contiguous map is one
// long row. An operand or output whose columns are far apart is walked in small tiles, so that each cache line that a
// column touches serves the rows of the tile too. An expression that is one operand of the output's type is copied bit
// for bit; all others are computed in f32. The output may be an operand that is read at the place written only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tkl/algo/map_traits.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/node.hpp>

namespace tkl {

/// The output: extents n, h, w, c and strides of all four axes in elements, none of them 0 where the extent exceeds 1.
template <class TC>
struct map_problem {
  TC* y = nullptr;
  std::int64_t extent[4]{1, 1, 1, 1};
  std::int64_t stride[4]{0, 0, 0, 1};
};

/// How a map is cut: the extents after merging, and the tile.
struct map_tiling {
  std::int64_t extent[4]{1, 1, 1, 1};
  std::int64_t tile_rows = 1;
  std::int64_t tile_columns = 1;
  std::int64_t row_tiles = 0;     // per (n, h)
  std::int64_t column_tiles = 0;  // per row
  std::int64_t tiles = 0;
};

namespace detail {

/// Elements of a tile; small enough for many units of work, large enough to hide the cost of a unit.
inline constexpr std::int64_t map_tile_elements = 4096;
/// The tile where columns are far apart, often by a power of two, so that their lines share a set of the cache: 8
/// columns fit the ways of every first-level cache, and 32 rows use up the lines that a column touches.
inline constexpr std::int64_t map_far_columns = 8;
inline constexpr std::int64_t map_far_rows = 32;

template <class TC, class E>
TKL_TAGGED constexpr map_tiling map_tiles(const map_problem<TC>& p, const E& expression) {
  map_tiling t;
  std::int64_t columns = p.extent[3];
  int axis = 2;
  for (; axis >= 0; --axis) {
    const std::int64_t extent = p.extent[axis];
    if (extent != 1 && (p.stride[axis] != columns * p.stride[3] || !merges(expression, axis, columns))) break;
    columns *= extent;
  }
  for (int i = 0; i <= axis; ++i) t.extent[i] = p.extent[i];
  t.extent[3] = columns;
  for (int i = 0; i < 4; ++i)
    if (p.extent[i] == 0) return t;
  const bool distant = columns > 1 && (p.stride[3] != 1 || has_far_columns(expression));
  const std::int64_t most = distant ? map_far_columns : map_tile_elements;
  t.tile_columns = columns < most ? columns : most;
  const std::int64_t rows = distant ? map_far_rows : map_tile_elements / t.tile_columns;
  t.tile_rows = t.extent[2] < rows ? t.extent[2] : rows;
  t.row_tiles = (t.extent[2] + t.tile_rows - 1) / t.tile_rows;
  t.column_tiles = (columns + t.tile_columns - 1) / t.tile_columns;
  t.tiles = t.extent[0] * t.extent[1] * t.row_tiles * t.column_tiles;
  return t;
}

}  // namespace detail

TKL_ISA_BEGIN

namespace impl {

/// Copies in pieces of 64 bytes; `to` may be `from`. Long calls of memcpy use string instructions, which are several
/// times slower where the two places are equal modulo 4096.
TKL_FN void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  auto* y = static_cast<std::byte*>(to);
  const auto* x = static_cast<const std::byte*>(from);
  for (; bytes >= 64; bytes -= 64, x += 64, y += 64) {
    std::byte piece[64];
    std::memcpy(piece, x, 64);
    std::memcpy(y, piece, 64);
  }
  for (; bytes > 0; --bytes) *y++ = *x++;
}

/// Columns [at.column, at.column + count) of one row; `y` is the first of them.
template <class M, class TC, class E>
TKL_FN void map_row(const E& expression, position at, TC* y, std::int64_t inner, std::int64_t count) {
  using leaf = typename M::leaf;
  if constexpr (copies<E, TC>) {
    const auto source = source_of(expression, at);
    if (inner == 1 && source.inner == 1) {
      copy_bytes(y, source.data, count * static_cast<std::int64_t>(sizeof(TC)));
    } else {
      for (std::int64_t c = 0; c < count; ++c) y[c * inner] = source.data[c * source.inner];
    }
  } else {
    const std::int64_t whole = count / M::width * M::width;
    const int rest = static_cast<int>(count - whole);
    const std::int64_t first = at.column;
    if (inner == 1) {
      for (std::int64_t c = 0; c < whole; c += M::width, at.column += M::width)
        M::store(y + c, eval(expression, leaf{M::zero(), at, M::width}));
      if (rest > 0) M::store(y + whole, eval(expression, leaf{M::zero(), at, rest}), rest);
    } else {
      for (std::int64_t c = 0; c < count; c += M::width) {
        const int lanes = c < whole ? M::width : rest;
        at.column = first + c;
        M::store_strided(y + c * inner, inner, eval(expression, leaf{M::zero(), at, lanes}), lanes);
      }
    }
  }
}

template <class M, class TC, class E>
TKL_NOINLINE void map_range(const map_problem<TC>& p, const map_tiling& t, const E& expression, std::int64_t begin,
                            std::int64_t end) {
  for (std::int64_t unit = begin; unit < end; ++unit) {
    std::int64_t left = unit;
    const std::int64_t column = left % t.column_tiles * t.tile_columns;
    left /= t.column_tiles;
    const std::int64_t first = left % t.row_tiles * t.tile_rows;
    left /= t.row_tiles;
    const std::int64_t h = left % t.extent[1], n = left / t.extent[1];
    const std::int64_t last = first + t.tile_rows < t.extent[2] ? first + t.tile_rows : t.extent[2];
    const std::int64_t rest = t.extent[3] - column;
    const std::int64_t columns = rest < t.tile_columns ? rest : t.tile_columns;
    TC* y = p.y + n * p.stride[0] + h * p.stride[1] + column * p.stride[3];
    for (std::int64_t w = first; w < last; ++w)
      map_row<M>(expression, position{{n, h, w}, column}, y + w * p.stride[2], p.stride[3], columns);
  }
}

}  // namespace impl

/// Computes y from an expression without acc. No scratch.
template <class M, class TC, class E, class X>
void map(const map_problem<TC>& p, const E& expression, const X& executor) {
  static_assert(!reads_acc<E>, "a map has no accumulator: its expression must read operands only");
  const map_tiling t = detail::map_tiles(p, expression);
  executor.parallel_for(
      t.tiles, [&](std::int64_t begin, std::int64_t end, int) { impl::map_range<M>(p, t, expression, begin, end); });
}

TKL_ISA_END
}  // namespace tkl
