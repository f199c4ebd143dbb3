// SPDX-License-Identifier: Apache-2.0
// Convolution whose input is converted as it loads (u8 pictures, planes, another channel order), one work item:
// S.pixels neighbouring pixels of a row by S.vectors panels.
//
//   sums[i][j] = bias row of panel j
//   for tap row inside the input, tap column, channel:
//     sums[i][j] += prologue(x[pixel i, tap, channel]) * panel[j][tap, channel]
//   epilogue, store
//
// Nothing is staged: items share no memory, so each converts what it reads, once per panel of columns. Channels may be
// any distance apart, and are few; they are loaded one by one. Padding is zero after the prologue: pixels outside of
// the input read its border, and zero is selected.
#pragma once

#include <tkl/algo/work_item/conv2d.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <work_item_schedule S, class M>
constexpr void conv2d_staged_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  using one = typename M::one;
  const one zero = math<one>::constant(0.0f);
  for_place(m, item_width * S.vectors, S.pixels, [&](const item_place<M>& p) {
    const integer width = m.extent(role::out, 2), columns = m.extent(role::out, 3);
    const integer depth = m.extent(role::in, 3), across = m.extent(role::in, 2);
    const integer rows = m.parameter(parameter::kernel, 0), taps = m.parameter(parameter::kernel, 1);
    impl::item_tile<S, M> t;
    integer panel[S.vectors], left[S.pixels];
    impl::first_panels(m, t, panel, m.index(0), m.index(0), p.c / item_width, (columns + 3) / item_width,
                       (rows * taps * depth + 1) * item_width);
    for (int i = 0; i < S.pixels; ++i)
      left[i] = m.least(p.w + i, width - 1) * m.parameter(parameter::stride, 1) - m.parameter(parameter::pad, 1);
    m.loop(m.index(0), rows, 1, [&](const integer& u) {
      const integer row = p.h * m.parameter(parameter::stride, 0) - m.parameter(parameter::pad, 0) +
                          u * m.parameter(parameter::dilation, 0);
      impl::when_row_exists(m, row, [&] {
        const integer line = p.n * m.stride(role::in, 0) + row * m.stride(role::in, 1);
        m.loop(m.index(0), taps, 1, [&](const integer& v) {
          integer at[S.pixels];
          for (int i = 0; i < S.pixels; ++i) {
            const integer column = left[i] + v * m.parameter(parameter::dilation, 1);
            t.inside[i] = (column >= 0) & (column < across);
            at[i] = m.least(m.most(column, m.index(0)), across - 1);
            t.pixel[i] = line + at[i] * m.stride(role::in, 2);
          }
          for (int j = 0; j < S.vectors; ++j) t.panel[j] = panel[j] + ((u * taps + v) * depth + 1) * item_width;
          m.loop(m.index(0), depth, 1, [&](const integer& k) {
            value b[S.vectors];
            for (int j = 0; j < S.vectors; ++j) b[j] = m.load(role::weights, t.panel[j] + k * item_width);
            for (int i = 0; i < S.pixels; ++i) {
              const one raw = m.load_one(role::in, t.pixel[i] + k * m.stride(role::in, 3));
              const one x = m.converted(raw, item_place<M>{p.n, row, at[i], k});
              const value inside = m.splat(m.select(t.inside[i], x, zero));
              for (int j = 0; j < S.vectors; ++j) m.mac(t.sum[i][j], inside, b[j]);
            }
          });
        });
      });
    });
    impl::finish_tile(m, t, p, 1, width, p.c, columns, columns);
  });
}

TKL_ISA_END
}  // namespace tkl
