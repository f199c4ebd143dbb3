// SPDX-License-Identifier: Apache-2.0
// Matrix product of two computed operands, one work item: S.pixels rows by item_width columns.
//
//   sums[i] = 0
//   for k in depth:
//     sums[i] += a[row i, k] * b[k, columns]
//   epilogue, store
//
// Either operand may lie transposed, and a batch stride of 0 repeats it. Rows beyond the last read the last one again.
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// `Transposed`: the columns of b are apart in memory.
template <work_item_schedule S, bool Transposed, class M>
constexpr void matmul_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  for_place(m, item_width, S.pixels, [&](const item_place<M>& p) {
    const integer rows = m.extent(role::out, 2), columns = m.extent(role::out, 3), lanes = columns - p.c;
    const integer b = p.n * m.stride(role::second, 0) + p.h * m.stride(role::second, 1);
    integer a[S.pixels], each[item_width];
    value sum[S.pixels];
    for (int i = 0; i < S.pixels; ++i) {
      a[i] = row_index(m, role::in, p.n, p.h, m.least(p.w + i, rows - 1));
      sum[i] = m.variable(m.constant(0.0f));
    }
    if constexpr (Transposed)
      for (int l = 0; l < item_width; ++l) each[l] = b + m.least(p.c + l, columns - 1) * m.stride(role::second, 3);
    m.loop(m.index(0), m.extent(role::in, 3), 1, [&](const integer& k) {
      const integer row = k * m.stride(role::second, 2);
      value x;
      if constexpr (Transposed) {
        const integer at[item_width] = {each[0] + row, each[1] + row, each[2] + row, each[3] + row};
        x = m.load_each(role::second, at);
      } else {
        x = m.load(role::second, b + p.c + row, lanes);
      }
      for (int i = 0; i < S.pixels; ++i)
        m.mac(sum[i], m.splat(m.load_one(role::in, a[i] + k * m.stride(role::in, 3))), x);
    });
    for (int i = 0; i < S.pixels; ++i)
      m.when(p.w + i < rows, [&] { m.finish(sum[i], item_place<M>{p.n, p.h, p.w + i, p.c}, columns); });
  });
}

TKL_ISA_END
}  // namespace tkl
