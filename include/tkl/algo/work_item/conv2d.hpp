// SPDX-License-Identifier: Apache-2.0
// Convolution as implicit matrix product, and matrix products with packed weights, one work item: S.pixels neighbouring
// pixels of a row by S.vectors panels.
//
//   sums[i][j] = bias row of panel j
//   for tap row inside the input, tap column:
//     for k in depth, four or eight at a time:       one vector of each pixel, as many of each panel
//       sums[i][j] += x[pixel i, tap, k] * panel[j][tap, k]
//   epilogue, store
//
// Weights are packed as for the CPU (algo/pack.hpp) with panels of one vector, so the layout is the same for every
// schedule. Sums stay in registers: no array that the compiler could put into memory, no local memory. Pixels beyond
// the row read the last one again. A tap that some pixel sees outside of the input takes a second copy of the loop,
// which selects zeros there: a number outside times zero could be NaN. A machine that multiplies in half precision sums
// item_half_products products of a pixel and column so before it adds them in f32, and loads as many numbers at a time
// where the schedule says so and all pixels see the tap.
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {

TKL_ISA_BEGIN
namespace impl {

/// The tile of one work item.
template <work_item_schedule S, class M>
struct item_tile {
  typename M::integer pixel[S.pixels];  // first input element of each pixel at the current tap
  typename M::integer inside[S.pixels];
  typename M::integer panel[S.vectors];  // first weight of each panel at the current tap
  typename M::value sum[S.pixels][S.vectors];
};

/// sum[i][j] += x[pixel i] * w[panel j], `count` products from k on: 4, which is one vector of x, or 1.
template <bool Checked, int Count, work_item_schedule S, class M>
constexpr void item_products(M& m, item_tile<S, M>& t, const typename M::integer& k) {
  using value = typename M::value;
  value a[S.pixels];
  for (int i = 0; i < S.pixels; ++i) {
    a[i] = Count == item_width ? m.load(role::in, t.pixel[i] + k) : m.splat(m.load_one(role::in, t.pixel[i] + k));
    if constexpr (Checked) a[i] = m.select(t.inside[i], a[i], m.constant(0.0f));
  }
  for (int q = 0; q < Count; ++q) {
    value b[S.vectors];
    for (int j = 0; j < S.vectors; ++j) b[j] = m.load(role::weights, t.panel[j] + (k + q) * item_width);
    for (int i = 0; i < S.pixels; ++i) {
      const value x = Count == item_width ? m.splat(m.lane(a[i], q)) : a[i];
      for (int j = 0; j < S.vectors; ++j) m.mac(t.sum[i][j], x, b[j]);
    }
  }
}

/// The products of k from `first` to `last` in half precision: item_half_products of them are summed so, these sums in
/// f32.
template <bool Checked, work_item_schedule S, class M>
constexpr void item_depth_in_half(M& m, item_tile<S, M>& t, const typename M::integer& first,
                                  const typename M::integer& last) {
  using integer = typename M::integer;
  m.loop(first, last, item_half_products, [&](const integer& begin) {
    item_tile<S, M> part = t;
    m.in_half([&] {
      for (int i = 0; i < S.pixels; ++i)
        for (int j = 0; j < S.vectors; ++j) part.sum[i][j] = m.half_sum();
      m.loop(begin, m.least(begin + item_half_products, last), item_width,
             [&](const integer& k) { item_products<Checked, item_width>(m, part, k); });
    });
    for (int i = 0; i < S.pixels; ++i)
      for (int j = 0; j < S.vectors; ++j) m.assign(t.sum[i][j], t.sum[i][j] + m.from_half(part.sum[i][j]));
  });
}

/// The same from 0 to `last`, a multiple of item_half_products, as many numbers loaded at a time: all rows of the
/// panels, then pixel after pixel, so that the sums in half precision of one pixel are alive at a time.
template <work_item_schedule S, class M>
constexpr void item_depth_in_eights(M& m, item_tile<S, M>& t, const typename M::integer& last) {
  using integer = typename M::integer;
  using value = typename M::value;
  m.loop(m.index(0), last, item_half_products, [&](const integer& k) {
    m.in_half([&] {
      value b[item_half_products][S.vectors];
      for (int q = 0; q < item_half_products; q += 2)
        for (int j = 0; j < S.vectors; ++j) {
          const value rows = m.load_eight(role::weights, t.panel[j] + (k + q) * item_width);
          b[q][j] = m.four_of(rows, 0);
          b[q + 1][j] = m.four_of(rows, 1);
        }
      for (int i = 0; i < S.pixels; ++i) {
        const value a = m.load_eight(role::in, t.pixel[i] + k);
        value sum[S.vectors];
        for (int j = 0; j < S.vectors; ++j) sum[j] = m.half_sum();
        for (int q = 0; q < item_half_products; ++q) {
          const value x = m.splat(m.lane(a, q));
          for (int j = 0; j < S.vectors; ++j) m.mac(sum[j], x, b[q][j]);
        }
        for (int j = 0; j < S.vectors; ++j) m.assign(t.sum[i][j], t.sum[i][j] + m.from_half(sum[j]));
      }
    });
  });
}

template <bool Checked, work_item_schedule S, class M>
constexpr void item_depth(M& m, item_tile<S, M>& t, const typename M::integer& depth) {
  using integer = typename M::integer;
  const integer whole = depth / item_width * item_width;
  if constexpr (requires { m.multiplies_in_half(); }) {
    if (m.multiplies_in_half()) {
      integer done = m.index(0);
      if constexpr (!Checked && S.half_vector == item_half_products) {
        done = depth / item_half_products * item_half_products;
        item_depth_in_eights(m, t, done);
      }
      item_depth_in_half<Checked>(m, t, done, whole);
      return m.loop(whole, depth, 1, [&](const integer& k) { item_products<Checked, 1>(m, t, k); });
    }
  }
  m.loop(m.index(0), whole, item_width, [&](const integer& k) { item_products<Checked, item_width>(m, t, k); });
  m.loop(whole, depth, 1, [&](const integer& k) { item_products<Checked, 1>(m, t, k); });
}

/// One tap: pixel i reads input column at[i] of the row that begins at `first`.
template <work_item_schedule S, class M>
constexpr void item_tap(M& m, item_tile<S, M>& t, const typename M::integer& first,
                        const typename M::integer (&at)[S.pixels], const typename M::integer& depth) {
  using integer = typename M::integer;
  const integer columns = m.extent(role::in, 2);
  integer all = m.index(1);
  for (int i = 0; i < S.pixels; ++i) {
    t.inside[i] = integer(at[i] >= 0) & (at[i] < columns);
    all = i == 0 ? t.inside[0] : all & t.inside[i];
    t.pixel[i] = first + m.least(m.most(at[i], m.index(0)), columns - 1) * m.stride(role::in, 2);
  }
  m.when(
      all, [&] { item_depth<false>(m, t, depth); }, [&] { item_depth<true>(m, t, depth); });
}

/// Calls body() where an input row exists and has columns.
template <class M, class F>
constexpr void when_row_exists(M& m, const typename M::integer& row, F body) {
  using integer = typename M::integer;
  m.when(integer(row >= 0) & (row < m.extent(role::in, 1)) & (m.extent(role::in, 2) > 0), body);
}

/// Panels of the tile, `index` and on of the `count` that begin with panel `group` behind weight `start`; the last one
/// again where there are fewer. The sums start with their bias rows.
template <work_item_schedule S, class M>
constexpr void first_panels(M& m, item_tile<S, M>& t, typename M::integer (&panel)[S.vectors],
                            const typename M::integer& start, const typename M::integer& group,
                            const typename M::integer& index, const typename M::integer& count,
                            const typename M::integer& panel_size) {
  for (int j = 0; j < S.vectors; ++j) {
    panel[j] = start + (group + (j == 0 ? index : m.least(index + j, count - 1))) * panel_size;
    for (int i = 0; i < S.pixels; ++i) t.sum[i][j] = m.variable(i == 0 ? m.load(role::weights, panel[j]) : t.sum[0][j]);
  }
}

/// Epilogue and store of the pixels p.w, p.w + step, ... below `width`.
template <work_item_schedule S, class M, template <work_item_schedule, class> class Tile>
constexpr void finish_tile(M& m, const Tile<S, M>& t, const item_place<M>& p, const typename M::integer& step,
                           const typename M::integer& width, const typename M::integer& column,
                           const typename M::integer& columns, const typename M::integer& end) {
  using integer = typename M::integer;
  for (int i = 0; i < S.pixels; ++i) {
    const integer w = p.w + step * i;
    m.when(w < width, [&] {
      for (int j = 0; j < S.vectors; ++j)
        m.when(column + item_width * j < columns, [&] {
          m.finish(t.sum[i][j], item_place<M>{p.n, p.h, w, p.c + item_width * j}, end);
        });
    });
  }
}

}  // namespace impl

template <work_item_schedule S, class M>
constexpr void conv2d_item(M& m) {
  using integer = typename M::integer;
  const integer groups = m.parameter(parameter::groups, 0), width = m.extent(role::out, 2);
  for_grouped_place(
      m, groups, item_width * S.vectors, S.pixels,
      [&](const integer& group, const integer& column, const integer& columns, const item_place<M>& p) {
        const integer depth = m.extent(role::in, 3) / groups;
        const integer rows = m.parameter(parameter::kernel, 0), taps = m.parameter(parameter::kernel, 1);
        const integer panel_size = (rows * taps * depth + 1) * item_width, panels = (columns + 3) / item_width;
        const integer image = p.n * m.stride(role::in, 0) + group * depth;
        impl::item_tile<S, M> t;
        integer panel[S.vectors], left[S.pixels];
        impl::first_panels(m, t, panel, m.index(0), group * panels, column / item_width, panels, panel_size);
        for (int i = 0; i < S.pixels; ++i)
          left[i] = m.least(p.w + i, width - 1) * m.parameter(parameter::stride, 1) - m.parameter(parameter::pad, 1);
        m.loop(m.index(0), rows, 1, [&](const integer& u) {
          const integer row = p.h * m.parameter(parameter::stride, 0) - m.parameter(parameter::pad, 0) +
                              u * m.parameter(parameter::dilation, 0);
          impl::when_row_exists(m, row, [&] {
            const integer first = image + row * m.stride(role::in, 1);
            m.loop(m.index(0), taps, 1, [&](const integer& v) {
              integer at[S.pixels];
              for (int i = 0; i < S.pixels; ++i) at[i] = left[i] + v * m.parameter(parameter::dilation, 1);
              for (int j = 0; j < S.vectors; ++j) t.panel[j] = panel[j] + ((u * taps + v) * depth + 1) * item_width;
              impl::item_tap(m, t, first, at, depth);
            });
          });
        });
        impl::finish_tile(m, t, p, 1, width, column, columns, (group + 1) * columns);
      });
}

TKL_ISA_END
}  // namespace tkl
