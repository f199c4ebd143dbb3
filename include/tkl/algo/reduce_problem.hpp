// SPDX-License-Identifier: Apache-2.0
// A reduction over axes: its tensors, and the walk over what belongs to one result.
#pragma once

#include <cstdint>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>

namespace tkl {

/// y has the extents of x, with 1 on the reduced axes; the columns of both are consecutive. Bit i of `axes` stands for
/// axis i (n, h, w, c).
template <class TA, class TC>
struct reduce_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
  unsigned axes = 0;
};

/// The elements that one result combines: rows of `columns` columns at every place of the axes `extent`. Reduced axes
/// that follow each other in memory are merged, in the order of the elements.
struct reduced_axes {
  std::int64_t extent[3]{1, 1, 1};
  std::int64_t stride[3]{};
  std::int64_t columns = 1;
  std::int64_t kept_stride[3]{};  // of x, 0 on reduced axes: from the place of a result to its first element

  TKL_TAGGED constexpr reduced_axes(const strided_shape& x, unsigned axes) {
    if (axes >> 3 & 1u) columns = x.extent[3];
    int outermost = 3;  // merged axes stand at [outermost, 3)
    for (int i = 2; i >= 0; --i) {
      if (!(axes >> i & 1u)) {
        kept_stride[i] = x.stride[i];
      } else if (outermost == 3 && (axes >> 3 & 1u) && x.stride[i] == columns) {
        columns *= x.extent[i];
      } else if (outermost < 3 && x.stride[i] == stride[outermost] * extent[outermost]) {
        extent[outermost] *= x.extent[i];
      } else if (x.extent[i] != 1) {
        --outermost;
        extent[outermost] = x.extent[i];
        stride[outermost] = x.stride[i];
      }
    }
  }
  constexpr std::int64_t count() const { return extent[0] * extent[1] * extent[2] * columns; }
};

/// Calls f(offset from the first element) for each reduced row, in row-major order.
template <class F>
TKL_FN void for_reduced_rows(const reduced_axes& r, F f) {
  for (std::int64_t i = 0; i < r.extent[0]; ++i)
    for (std::int64_t j = 0; j < r.extent[1]; ++j) {
      const std::int64_t offset = i * r.stride[0] + j * r.stride[1];
      for (std::int64_t k = 0; k < r.extent[2]; ++k) f(offset + k * r.stride[2]);
    }
}

}  // namespace tkl
