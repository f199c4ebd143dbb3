// SPDX-License-Identifier: Apache-2.0
// Resizing of rows and columns, one work item: one vector of channels of one pixel.
//
//   sources of the row and of the column         tables made on the host by algo/resize_source.hpp, in double
//   accumulator = the nearest input, or the sum of the 1, 2 or 4 inputs around, times their weights
//   epilogue, store
//
// Few mobile devices have double precision, and coordinates of large pictures need it: so the tables. An input whose
// weight is 0 takes no part: an infinity there does not become NaN.
#pragma once

#include <tkl/algo/work_item/roles.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/graph/attributes.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <resize_kind K, class M>
constexpr void resize2d_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  using one = typename M::one;
  for_place(m, item_width, 1, [&](const item_place<M>& p) {
    const integer lanes = m.extent(role::out, 3) - p.c, below = m.extent(role::out, 1);
    const integer row = m.table(p.h, 0), column = m.table(below + p.w, 0);
    const integer upper = p.n * m.stride(role::in, 0) + row * m.stride(role::in, 1) + p.c;
    const integer across = column * m.stride(role::in, 2);
    const value corner = m.load(role::in, upper + across, lanes);
    if constexpr (K == resize_kind::nearest) {
      m.finish(corner, p, m.extent(role::out, 3));
    } else {
      const integer down = m.table(p.h, 1) - row, right = m.table(below + p.w, 1) - column;
      const auto blend = [&](const integer& both, const value& a, const value& b, const one& weight) {
        const value t = m.splat(weight);
        return m.select(both, a * (math<value>::constant(1.0f) - t) + b * t, a);
      };
      const integer next = right * m.stride(role::in, 2), line = upper + down * m.stride(role::in, 1);
      const one weight = m.table_float(below + p.w, 2);
      const value top = blend(right > 0, corner, m.load(role::in, upper + across + next, lanes), weight);
      const value bottom = blend(right > 0, m.load(role::in, line + across, lanes),
                                 m.load(role::in, line + across + next, lanes), weight);
      m.finish(blend(down > 0, top, bottom, m.table_float(p.h, 2)), p, m.extent(role::out, 3));
    }
  });
}

TKL_ISA_END
}  // namespace tkl
