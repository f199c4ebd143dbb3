// SPDX-License-Identifier: Apache-2.0
// A constant border around a tensor, along any of its four axes.
//
//   for outer indices of the output, one row of columns each       in parallel
//     for vector of columns before, inside, behind the input
//       accumulator = the border's value, or the input
//       epilogue, store
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>

namespace tkl {

/// y[i] = x[i - before] where that is inside x, `fill` elsewhere, for each of the four axes. What lies behind x follows
/// from y's extents. A negative `before` cuts.
template <class TA, class TC>
struct pad_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
  std::int64_t before[4]{};
  float fill = 0;
};

TKL_ISA_BEGIN
namespace impl {

/// Columns [at.column, end) of one row; `load(column, lanes)` gives their accumulators.
template <class M, class L, class TC, class E>
TKL_FN void pad_columns(const L& load, std::int64_t end, const E& epilogue, position& at, TC* y) {
  for (; at.column + M::width <= end; at.column += M::width)
    finish<M>(epilogue, load(at.column, M::width), at, y + at.column);
  if (at.column < end) {
    const int lanes = static_cast<int>(end - at.column);
    finish<M>(epilogue, load(at.column, lanes), at, y + at.column, lanes);
    at.column = end;
  }
}

}  // namespace impl

/// Pads `p` on machine M. Needs no scratch.
template <class M, class TA, class TC, class E, class X>
void pad(const pad_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  if (is_empty(p.y)) return;
  const auto& out = p.y.shape.extent;
  index_range inside[4];
  for (int axis = 0; axis < 4; ++axis)
    inside[axis] = indices_inside(-p.before[axis], 1, p.x.shape.extent[axis], out[axis]);
  const typename M::value fill = M::constant(p.fill);
  executor.parallel_for(p.y.shape.rows(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t item = begin; item < end; ++item) {
      position at{{item / out[2] / out[1], item / out[2] % out[1], item % out[2]}, 0};
      TC* y = pixel(p.y, at.outer[0], at.outer[1], at.outer[2]);
      bool copies = true;
      for (int axis = 0; axis < 3; ++axis)
        copies = copies && at.outer[axis] >= inside[axis].first && at.outer[axis] < inside[axis].last;
      const auto border = [&](std::int64_t, int) { return fill; };
      if (copies) {
        const TA* x = pixel(p.x, at.outer[0] - p.before[0], at.outer[1] - p.before[1], at.outer[2] - p.before[2]);
        impl::pad_columns<M>(border, inside[3].first, epilogue, at, y);
        impl::pad_columns<M>([&](std::int64_t column, int lanes) { return M::load(x + (column - p.before[3]), lanes); },
                             inside[3].last, epilogue, at, y);
      }
      impl::pad_columns<M>(border, out[3], epilogue, at, y);
    }
  });
}

TKL_ISA_END
}  // namespace tkl
