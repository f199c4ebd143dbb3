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

namespace impl {

/// The operands of a tile: first element of each row of a, and of b; or of each column of b where these are apart.
template <work_item_schedule S, class M>
struct item_matrices {
  typename M::integer a[S.pixels], b, column[item_width], lanes;
  typename M::value sum[S.pixels];
};

/// `Count` products from k on: 4, which are vectors along k where that is how the operand lies, or 1.
template <bool ApartA, bool ApartB, int Count, work_item_schedule S, class M>
constexpr void matrix_products(M& m, item_matrices<S, M>& t, const typename M::integer& k) {
  using value = typename M::value;
  constexpr bool vectors = Count == item_width;
  value a[S.pixels], b[item_width];
  if constexpr (vectors && !ApartA)
    for (int i = 0; i < S.pixels; ++i) a[i] = m.load(role::in, t.a[i] + k);
  if constexpr (vectors && ApartB)
    for (int l = 0; l < item_width; ++l) b[l] = m.load(role::second, t.column[l] + k);
  for (int q = 0; q < Count; ++q) {
    value x;
    if constexpr (!ApartB) {
      x = m.load(role::second, t.b + (k + q) * m.stride(role::second, 2), t.lanes);
    } else if constexpr (vectors) {
      x = m.join_lanes(b, q);
    } else {
      const typename M::integer at[item_width] = {t.column[0] + k, t.column[1] + k, t.column[2] + k, t.column[3] + k};
      x = m.load_each(role::second, at);
    }
    for (int i = 0; i < S.pixels; ++i) {
      if constexpr (vectors && !ApartA) {
        m.mac(t.sum[i], m.splat(m.lane(a[i], q)), x);
      } else {
        m.mac(t.sum[i], m.splat(m.load_one(role::in, t.a[i] + (k + q) * m.stride(role::in, 3))), x);
      }
    }
  }
}

}  // namespace impl

/// `ApartA`, `ApartB`: the columns of that operand are apart in memory, its rows are consecutive.
template <work_item_schedule S, bool ApartA, bool ApartB, class M>
constexpr void matmul_item(M& m) {
  using integer = typename M::integer;
  for_place(m, item_width, S.pixels, [&](const item_place<M>& p) {
    const integer rows = m.extent(role::out, 2), columns = m.extent(role::out, 3), depth = m.extent(role::in, 3);
    impl::item_matrices<S, M> t;
    t.lanes = columns - p.c;
    t.b = p.n * m.stride(role::second, 0) + p.h * m.stride(role::second, 1);
    for (int i = 0; i < S.pixels; ++i) {
      t.a[i] = row_index(m, role::in, p.n, p.h, m.least(p.w + i, rows - 1));
      t.sum[i] = m.variable(m.constant(0.0f));
    }
    if constexpr (ApartB) {
      for (int l = 0; l < item_width; ++l)
        t.column[l] = t.b + m.least(p.c + l, columns - 1) * m.stride(role::second, 3);
    } else {
      t.b = t.b + p.c;
    }
    const integer whole = depth / item_width * item_width;
    m.loop(m.index(0), whole, item_width,
           [&](const integer& k) { impl::matrix_products<ApartA, ApartB, item_width>(m, t, k); });
    m.loop(whole, depth, 1, [&](const integer& k) { impl::matrix_products<ApartA, ApartB, 1>(m, t, k); });
    for (int i = 0; i < S.pixels; ++i)
      m.when(p.w + i < rows, [&] { m.finish(t.sum[i], item_place<M>{p.n, p.h, p.w + i, p.c}, columns); });
  });
}

TKL_ISA_END
}  // namespace tkl
