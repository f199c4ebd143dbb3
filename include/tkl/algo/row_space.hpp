// SPDX-License-Identifier: Apache-2.0
// The rows of a contraction: which input pixels each of them meets, and where its results go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/pixel.hpp>
#include <tkl/config.hpp>

namespace tkl {

/// Which input pixel each output row meets at each tap. Rows are indexed by (n, q, p). On both pixel axes the output
/// pixel is out_first + q * out_step, and the input pixel q * in_step + tap_first + tap * tap_step, a row of zeros when
/// outside. A matrix product has one tap and its rows along p.
struct row_space {
  std::int64_t extent[3]{};     // images, rows q, columns p
  std::int64_t in_extent[2]{};  // input rows and columns
  std::int64_t in_stride[3]{};  // elements per image, row, column
  std::int64_t in_step[2]{1, 1};
  std::int64_t taps[2]{1, 1};
  std::int64_t tap_first[2]{};
  std::int64_t tap_step[2]{1, 1};
  std::int64_t out_first[3]{};  // image, row, column of the first output pixel
  std::int64_t out_step[2]{1, 1};
  std::int64_t out_stride[3]{};  // elements per image, row, column of output pixels

  constexpr std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
  constexpr std::int64_t tap_count() const { return taps[0] * taps[1]; }
  /// Elements from an output row to the next, where that is the same for all rows: see even_output.
  constexpr std::int64_t output_step() const { return out_step[1] * out_stride[2]; }
  constexpr bool even_output() const {
    const std::int64_t line = out_step[0] * out_stride[1];
    return (extent[1] == 1 || line == extent[2] * output_step()) &&
           (extent[0] == 1 || out_stride[0] == extent[1] * line);
  }
  /// Offset of the first output row in the output.
  constexpr std::int64_t output_offset() const {
    return out_first[0] * out_stride[0] + out_first[1] * out_stride[1] + out_first[2] * out_stride[2];
  }
  /// Whether some tap of some row lies outside of the input, so that the row of zeros is read.
  constexpr bool leaves_input() const {
    if (rows() == 0) return false;
    for (int axis = 0; axis < 2; ++axis) {
      if (taps[axis] == 0) continue;
      const std::int64_t reach = (taps[axis] - 1) * tap_step[axis], last = (extent[axis + 1] - 1) * in_step[axis];
      const std::int64_t low = tap_first[axis] + (reach < 0 ? reach : 0);
      const std::int64_t high = tap_first[axis] + (reach > 0 ? reach : 0) + last;
      if (low < 0 || high >= in_extent[axis]) return true;
    }
    return false;
  }
};

TKL_ISA_BEGIN

/// Where an output row lies: its outer indices, and its offset in the output in elements.
struct row_place {
  std::int64_t outer[3]{};
  std::int64_t out = 0;
};

/// Pointers and, unless `places` is null, places of the rows [first, first + count): the pointers of all rows for the
/// first tap, then for the next. With several taps, `inside` says of each row whether all tap columns of its window lie
/// inside the input.
///   for line of pixels (n, q): for tap: zeros, then the pixels that the tap meets, then zeros
/// The space is copied: stores through the pointers could otherwise change it for all the compiler knows.
template <class TA>
TKL_NOINLINE void locate_rows(const row_space& space, const TA* a, const TA* zeros, std::int64_t first,
                              std::int64_t count, const TA** pointers, row_place* places, bool* inside) {
  const row_space s = space;
  const std::int64_t last_tap = (s.taps[1] - 1) * s.tap_step[1], pixel_stride = s.in_step[1] * s.in_stride[2];
  std::int64_t p = first % s.extent[2], q = first / s.extent[2] % s.extent[1], n = first / s.extent[2] / s.extent[1];
  for (std::int64_t r = 0, length; r < count; r += length) {
    length = s.extent[2] - p < count - r ? s.extent[2] - p : count - r;
    const std::int64_t top = q * s.in_step[0] + s.tap_first[0], left = p * s.in_step[1] + s.tap_first[1];
    if (places != nullptr) {
      const std::int64_t image = s.out_first[0] + n, oh = s.out_first[1] + q * s.out_step[0];
      std::int64_t ow = s.out_first[2] + p * s.out_step[1];
      std::int64_t out = image * s.out_stride[0] + oh * s.out_stride[1] + ow * s.out_stride[2];
      for (std::int64_t i = 0; i < length; ++i, ow += s.out_step[1], out += s.output_step())
        places[r + i] = {{image, oh, ow}, out};
    }
    if (s.tap_count() > 1) {
      const index_range at_first = indices_inside(left, s.in_step[1], s.in_extent[1], length);
      const index_range at_last = indices_inside(left + last_tap, s.in_step[1], s.in_extent[1], length);
      const std::int64_t begin = (std::max)(at_first.first, at_last.first);
      const std::int64_t end = (std::min)(at_first.last, at_last.last);
      std::fill_n(inside + r, length, false);
      if (begin < end) std::fill_n(inside + r + begin, end - begin, true);
    }
    for (std::int64_t v = 0, x = left; v < s.taps[1]; ++v, x += s.tap_step[1]) {
      const index_range met = indices_inside(x, s.in_step[1], s.in_extent[1], length);
      for (std::int64_t u = 0, y = top; u < s.taps[0]; ++u, y += s.tap_step[0]) {
        const index_range read = y >= 0 && y < s.in_extent[0] ? met : index_range{};
        const TA** to = pointers + (u * s.taps[1] + v) * count + r;
        std::int64_t in = n * s.in_stride[0] + y * s.in_stride[1] + (x + read.first * s.in_step[1]) * s.in_stride[2];
        for (std::int64_t i = 0; i < read.first; ++i) to[i] = zeros;
        for (std::int64_t i = read.first; i < read.last; ++i, in += pixel_stride) to[i] = a + in;
        for (std::int64_t i = read.last; i < length; ++i) to[i] = zeros;
      }
    }
    p = 0;
    if (++q == s.extent[1]) q = 0, ++n;
  }
}

TKL_ISA_END
}  // namespace tkl
