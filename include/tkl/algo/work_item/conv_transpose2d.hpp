// SPDX-License-Identifier: Apache-2.0
// Transposed convolution, one work item: S.pixels outputs of a row, `stride` columns apart, by S.vectors panels.
//
// Seen from output o, the taps u that count are those with u * dilation = o + pad (mod stride); outputs that are
// `stride` apart share them, and their input is one column further (see algo/conv_transpose2d.hpp). So a tile is that
// of an ordinary convolution over a subset of the taps, on the panels of its residues:
//
//   sums[i][j] = bias row
//   for tap row of the residue inside the input, tap column of the residue:  as in conv2d.hpp
//
// The host prepares, per residue of rows, then of columns: first tap, step, count; then per pair the first weight.
#pragma once

#include <tkl/algo/pack.hpp>
#include <tkl/algo/work_item/conv2d.hpp>

namespace tkl {

/// Items: panels of all groups, tiles of the residues of columns, lines.
constexpr item_counts conv_transpose2d_items(const work_item_schedule& s, const std::int32_t* out, int groups,
                                             int stride) {
  item_counts n = items_of_groups(out, groups, item_width * s.vectors, s.pixels);
  const std::int64_t own = (out[2] + stride - 1) / stride;  // outputs of the residue that has most
  n.count[1] = stride * ((own + s.pixels - 1) / s.pixels);
  return n;
}

TKL_ISA_BEGIN

template <work_item_schedule S, class M>
constexpr void conv_transpose2d_item(M& m) {
  using integer = typename M::integer;
  constexpr int wide = item_width * S.vectors;
  const integer groups = m.parameter(parameter::groups, 0), columns = m.extent(role::out, 3) / groups;
  const integer stride = m.parameter(parameter::stride, 1), down = m.parameter(parameter::stride, 0);
  const integer blocks = (columns + (wide - 1)) / wide, item = m.item(0);
  const integer group = item / blocks, column = item % blocks * wide;
  const integer width = m.extent(role::out, 2), height = m.extent(role::out, 1);
  const integer tiles = ((width + stride - 1) / stride + (S.pixels - 1)) / S.pixels;
  const integer tile = m.item(1), phase = tile / tiles, line = m.item(2);
  const integer first_w = phase + tile % tiles * S.pixels * stride;
  const integer inside =
      integer(group < groups) & (phase < stride) & (first_w < width) & (line < m.extent(role::out, 0) * height);
  m.when(inside, [&] {
    const item_place<M> p{line / height, line % height, first_w, group * columns + column};
    const integer depth = m.extent(role::in, 3) / groups;
    const integer h = p.h + m.parameter(parameter::pad, 0), w = p.w + m.parameter(parameter::pad, 1);
    const integer r = h % down, c = w % stride;
    const integer rows = m.table(r, 2), taps = m.table(down + c, 2);
    const integer start = m.table(down + stride + r * stride + c, 0);
    const integer panel_size = (rows * taps * depth + 1) * item_width, panels = (columns + 3) / item_width;
    const integer image = p.n * m.stride(role::in, 0) + group * depth;
    impl::item_tile<S, M> t;
    integer panel[S.vectors];
    impl::first_panels(m, t, panel, start, group * panels, column / item_width, panels, panel_size);
    m.loop(m.index(0), rows, 1, [&](const integer& u) {
      const integer tap = m.table(r, 0) + u * m.table(r, 1);
      const integer row = (h - tap * m.parameter(parameter::dilation, 0)) / down;  // exact
      impl::when_row_exists(m, row, [&] {
        const integer first = image + row * m.stride(role::in, 1);
        m.loop(m.index(0), taps, 1, [&](const integer& v) {
          const integer across = m.table(down + c, 0) + v * m.table(down + c, 1);
          const integer left = (w - across * m.parameter(parameter::dilation, 1)) / stride;  // exact
          integer at[S.pixels];
          for (int i = 0; i < S.pixels; ++i) at[i] = left + i;
          for (int j = 0; j < S.vectors; ++j) t.panel[j] = panel[j] + ((u * taps + v) * depth + 1) * item_width;
          impl::item_tap(m, t, first, at, depth);
        });
      });
    });
    impl::finish_tile(m, t, p, stride, width, column, columns, (group + 1) * columns);
  });
}

TKL_ISA_END
}  // namespace tkl
