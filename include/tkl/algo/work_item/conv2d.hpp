// SPDX-License-Identifier: Apache-2.0
// Convolution as implicit matrix product, and matrix products with packed weights, one work item: S.pixels neighbouring
// pixels of a row by S.vectors panels.
//
//   sums[i][j] = bias row of panel j
//   for tap row inside the input, tap column:
//     for k in depth, four at a time:                one vector of each pixel, four of each panel
//       sums[i][j] += x[pixel i, tap, k] * panel[j][tap, k]
//   epilogue, store
//
// Weights are packed as for the CPU (algo/pack.hpp) with panels of one vector, so the layout is the same for every
// schedule. Sums stay in registers: no array that the compiler could put into memory, no local memory. Pixels beyond
// the row read the last one again. A tap that some pixel sees outside of the input takes a second copy of the loop,
// which selects zeros there: a number outside times zero could be NaN.
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {

/// Items of the convolution: panels of all groups, tiles of pixels, lines.
constexpr item_counts conv2d_items(const work_item_schedule& s, const std::int32_t* out, int groups) {
  item_counts n = items_of_output(out, item_width * s.vectors, s.pixels);
  const std::int64_t wide = std::int64_t{item_width} * s.vectors, columns = out[3] / groups;
  n.count[0] = groups * ((columns + wide - 1) / wide);
  return n;
}

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

template <bool Checked, work_item_schedule S, class M>
constexpr void item_tap(M& m, item_tile<S, M>& t, const typename M::integer& depth) {
  using integer = typename M::integer;
  const integer whole = depth / item_width * item_width;
  m.loop(m.index(0), whole, item_width, [&](const integer& k) { item_products<Checked, item_width>(m, t, k); });
  m.loop(whole, depth, 1, [&](const integer& k) { item_products<Checked, 1>(m, t, k); });
}

}  // namespace impl

template <work_item_schedule S, class M>
constexpr void conv2d_item(M& m) {
  using integer = typename M::integer;
  constexpr int wide = item_width * S.vectors;
  const integer groups = m.parameter(parameter::groups, 0);
  const integer depth = m.extent(role::in, 3) / groups, columns = m.extent(role::out, 3) / groups;
  const integer blocks = (columns + (wide - 1)) / wide;
  const integer group = m.item(0) / blocks, column = m.item(0) % blocks * wide;
  const integer w = m.item(1) * S.pixels, line = m.item(2);
  const integer height = m.extent(role::out, 1), width = m.extent(role::out, 2);
  const integer inside = (group < groups) & (w < width) & (line < m.extent(role::out, 0) * height);
  m.when(inside, [&] {
    const integer n = line / height, h = line % height;
    const integer rows = m.parameter(parameter::kernel, 0), taps = m.parameter(parameter::kernel, 1);
    const integer panel_size = (rows * taps * depth + 1) * item_width;
    const integer last = (columns - 1) / item_width;
    const integer first_panel = group * (last + 1) + column / item_width;
    const integer image = n * m.stride(role::in, 0) + group * depth;
    const integer in_rows = m.extent(role::in, 1), in_columns = m.extent(role::in, 2);
    impl::item_tile<S, M> t;
    integer panel[S.vectors], left[S.pixels];
    for (int j = 0; j < S.vectors; ++j) {
      const integer index = j == 0 ? first_panel : m.least(first_panel + j, group * (last + 1) + last);
      panel[j] = index * panel_size;
    }
    for (int i = 0; i < S.pixels; ++i) {
      left[i] = m.least(w + i, width - 1) * m.parameter(parameter::stride, 1) - m.parameter(parameter::pad, 1);
      for (int j = 0; j < S.vectors; ++j)
        t.sum[i][j] = m.variable(i == 0 ? m.load(role::weights, panel[j]) : t.sum[0][j]);
    }
    m.loop(m.index(0), rows, 1, [&](const integer& u) {
      const integer row = h * m.parameter(parameter::stride, 0) - m.parameter(parameter::pad, 0) +
                          u * m.parameter(parameter::dilation, 0);
      m.when((row >= 0) & (row < in_rows) & (in_columns > 0), [&] {
        const integer first = image + row * m.stride(role::in, 1);
        m.loop(m.index(0), taps, 1, [&](const integer& v) {
          integer all = m.index(1);
          for (int i = 0; i < S.pixels; ++i) {
            const integer at = left[i] + v * m.parameter(parameter::dilation, 1);
            t.inside[i] = (at >= 0) & (at < in_columns);
            all = i == 0 ? t.inside[0] : all & t.inside[i];
            t.pixel[i] = first + m.least(m.most(at, m.index(0)), in_columns - 1) * m.stride(role::in, 2);
          }
          for (int j = 0; j < S.vectors; ++j) t.panel[j] = panel[j] + ((u * taps + v) * depth + 1) * item_width;
          m.when(
              all, [&] { impl::item_tap<false>(m, t, depth); }, [&] { impl::item_tap<true>(m, t, depth); });
        });
      });
    });
    const integer out = group * columns + column, end = (group + 1) * columns;
    for (int i = 0; i < S.pixels; ++i)
      m.when(w + i < width, [&] {
        for (int j = 0; j < S.vectors; ++j)
          m.when(column + item_width * j < columns, [&] {
            m.finish(t.sum[i][j], item_place<M>{n, h, w + i, out + item_width * j}, end);
          });
      });
  });
}

TKL_ISA_END
}  // namespace tkl
