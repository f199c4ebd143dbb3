// SPDX-License-Identifier: Apache-2.0
// Matrix product of two computed operands, one work item: S.pixels rows by S.vectors vectors of columns.
//
//   sums[i][j] = 0
//   for k in depth:
//     sums[i][j] += a[row i, k] * b[k, vector j]
//   epilogue, store
//
// Either operand may lie transposed, and a batch stride of 0 repeats it. Rows beyond the last read the last one again.
// A tile with columns beyond the last takes a second copy of the loop, which reads none of them.
#pragma once

#include <tkl/algo/work_item/conv2d.hpp>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// The operands of a tile: first element of each row of a, and of b; or of each column of b where these are apart.
template <work_item_schedule S, class M>
struct item_matrices {
  typename M::integer a[S.pixels], b, column[S.vectors][item_width], lanes;
  typename M::value sum[S.pixels][S.vectors];
};

/// `Count` products from k on: 4, which are vectors along k where that is how the operand lies, or 1. `Whole`: the tile
/// has all its columns.
template <bool ApartA, bool ApartB, bool Whole, int Count, work_item_schedule S, class M>
constexpr void matrix_products(M& m, item_matrices<S, M>& t, const typename M::integer& k) {
  using value = typename M::value;
  constexpr bool vectors = Count == item_width;
  value a[S.pixels], b[S.vectors][item_width];
  if constexpr (vectors && !ApartA)
    for (int i = 0; i < S.pixels; ++i) a[i] = m.load(role::in, t.a[i] + k);
  if constexpr (vectors && ApartB)
    for (int j = 0; j < S.vectors; ++j)
      for (int l = 0; l < item_width; ++l) b[j][l] = m.load(role::second, t.column[j][l] + k);
  for (int q = 0; q < Count; ++q) {
    value x[S.vectors];
    for (int j = 0; j < S.vectors; ++j) {
      if constexpr (!ApartB) {
        const typename M::integer at = t.b + (k + q) * m.stride(role::second, 2) + item_width * j;
        x[j] = Whole ? m.load(role::second, at) : m.load(role::second, at, t.lanes - item_width * j);
      } else if constexpr (vectors) {
        x[j] = m.join_lanes(b[j], q);
      } else {
        const typename M::integer(&c)[item_width] = t.column[j];
        const typename M::integer at[item_width] = {c[0] + k, c[1] + k, c[2] + k, c[3] + k};
        x[j] = m.load_each(role::second, at);
      }
    }
    for (int i = 0; i < S.pixels; ++i) {
      value row;
      if constexpr (vectors && !ApartA) {
        row = m.splat(m.lane(a[i], q));
      } else {
        row = m.splat(m.load_one(role::in, t.a[i] + (k + q) * m.stride(role::in, 3)));
      }
      for (int j = 0; j < S.vectors; ++j) m.mac(t.sum[i][j], row, x[j]);
    }
  }
}

/// All products of a tile; those of a tile that lacks columns one by one, which keeps the text short.
template <bool ApartA, bool ApartB, bool Whole, work_item_schedule S, class M>
constexpr void matrix_depth(M& m, item_matrices<S, M>& t, const typename M::integer& depth) {
  using integer = typename M::integer;
  integer whole = m.index(0);
  if constexpr (Whole) {
    whole = depth / item_width * item_width;
    m.loop(m.index(0), whole, item_width,
           [&](const integer& k) { matrix_products<ApartA, ApartB, true, item_width>(m, t, k); });
  }
  m.loop(whole, depth, 1, [&](const integer& k) { matrix_products<ApartA, ApartB, Whole, 1>(m, t, k); });
}

}  // namespace impl

/// `ApartA`, `ApartB`: the columns of that operand are apart in memory, its rows are consecutive.
template <work_item_schedule S, bool ApartA, bool ApartB, class M>
constexpr void matmul_item(M& m) {
  using integer = typename M::integer;
  for_place(m, item_width * S.vectors, S.pixels, [&](const item_place<M>& p) {
    const integer rows = m.extent(role::out, 2), columns = m.extent(role::out, 3), depth = m.extent(role::in, 3);
    impl::item_matrices<S, M> t;
    t.lanes = columns - p.c;
    t.b = p.n * m.stride(role::second, 0) + p.h * m.stride(role::second, 1);
    for (int i = 0; i < S.pixels; ++i) {
      t.a[i] = row_index(m, role::in, p.n, p.h, m.least(p.w + i, rows - 1));
      for (int j = 0; j < S.vectors; ++j) t.sum[i][j] = m.variable(m.splat(m.splat_one(0.0f)));
    }
    if constexpr (ApartB) {
      for (int j = 0; j < S.vectors; ++j)
        for (int l = 0; l < item_width; ++l)
          t.column[j][l] = t.b + m.least(p.c + (item_width * j + l), columns - 1) * m.stride(role::second, 3);
      impl::matrix_depth<ApartA, ApartB, true>(m, t, depth);
    } else {
      t.b = t.b + p.c;
      m.when(
          t.lanes > item_width * S.vectors - 1, [&] { impl::matrix_depth<ApartA, ApartB, true>(m, t, depth); },
          [&] { impl::matrix_depth<ApartA, ApartB, false>(m, t, depth); });
    }
    impl::finish_tile(m, t, p, 1, rows, p.c, columns, columns);
  });
}

TKL_ISA_END
}  // namespace tkl
