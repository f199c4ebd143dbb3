// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, one work item: one vector of channels of S.pixels neighbouring pixels.
//
//   sums[i] = bias
//   for filter row inside the input:
//     filter of known columns and stride:            any filter:
//       for input column of the tile: loaded once      for tap column, pixel: load
//         sums[i] += input * each tap that meets i       sums[i] += input * tap
//   epilogue, store
//
// The order of the taps is that of the CPU's algorithm. Columns outside of the input are read at its border and
// replaced by zero.
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// x at input column `at` of the row that begins at `row`, zero outside.
template <class M>
constexpr typename M::value column_or_zero(M& m, const typename M::integer& row, const typename M::integer& at,
                                           const typename M::integer& lanes) {
  using integer = typename M::integer;
  const integer columns = m.extent(role::in, 2);
  const integer place = row + m.least(m.most(at, m.index(0)), columns - 1) * m.stride(role::in, 2);
  return m.select(integer(at >= 0) & (at < columns), m.load(role::in, place, lanes), m.constant(0.0f));
}

/// The same where each input channel feeds `multiplier` outputs from c on.
template <class M>
constexpr typename M::value repeated_or_zero(M& m, const typename M::integer& row, const typename M::integer& at,
                                             const typename M::integer& c, const typename M::integer& multiplier) {
  using integer = typename M::integer;
  const integer columns = m.extent(role::in, 2), last = m.extent(role::out, 3) - 1;
  const integer place = row + m.least(m.most(at, m.index(0)), columns - 1) * m.stride(role::in, 2);
  integer each[item_width];
  for (int l = 0; l < item_width; ++l) each[l] = place + m.least(c + l, last) / multiplier;
  return m.select(integer(at >= 0) & (at < columns), m.load_each(role::in, each), m.constant(0.0f));
}

}  // namespace impl

/// `Columns`, `Stride`: the filter's, with dilation 1 and one output per input channel; or 0: known at run time.
template <work_item_schedule S, int Columns, int Stride, class M>
constexpr void depthwise_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  for_place(m, item_width, S.pixels, [&](const item_place<M>& p) {
    const integer rows = m.parameter(parameter::kernel, 0), taps = m.parameter(parameter::kernel, 1);
    const integer channels = m.extent(role::out, 3), lanes = channels - p.c;
    const integer block = p.c * (rows * taps + 1);
    const integer left = p.w * m.parameter(parameter::stride, 1) - m.parameter(parameter::pad, 1);
    value sum[S.pixels];
    for (int i = 0; i < S.pixels; ++i) sum[i] = m.variable(i == 0 ? m.load(role::weights, block) : sum[0]);
    m.loop(m.index(0), rows, 1, [&](const integer& u) {
      const integer row = p.h * m.parameter(parameter::stride, 0) - m.parameter(parameter::pad, 0) +
                          u * m.parameter(parameter::dilation, 0);
      m.when(integer(row >= 0) & (row < m.extent(role::in, 1)) & (m.extent(role::in, 2) > 0), [&] {
        const integer filter = block + (u * taps + 1) * item_width;
        const integer line = p.n * m.stride(role::in, 0) + row * m.stride(role::in, 1);
        if constexpr (Columns > 0) {
          const integer first = line + p.c;
          value tap[Columns];
          for (int v = 0; v < Columns; ++v) tap[v] = m.load(role::weights, filter + v * item_width);
          for (int k = 0; k < (S.pixels - 1) * Stride + Columns; ++k) {
            const value x = impl::column_or_zero(m, first, left + k, lanes);
            for (int v = 0; v < Columns; ++v)
              if (k >= v && (k - v) % Stride == 0 && (k - v) / Stride < S.pixels)
                m.mac(sum[(k - v) / Stride], x, tap[v]);
          }
        } else {
          const integer multiplier = channels / m.extent(role::in, 3);
          m.loop(m.index(0), taps, 1, [&](const integer& v) {
            const value tap = m.load(role::weights, filter + v * item_width);
            const integer at = left + v * m.parameter(parameter::dilation, 1);
            m.when(
                multiplier < 2,
                [&] {
                  for (int i = 0; i < S.pixels; ++i)
                    m.mac(sum[i],
                          impl::column_or_zero(m, line + p.c, at + i * m.parameter(parameter::stride, 1), lanes), tap);
                },
                [&] {
                  for (int i = 0; i < S.pixels; ++i)
                    m.mac(sum[i],
                          impl::repeated_or_zero(m, line, at + i * m.parameter(parameter::stride, 1), p.c, multiplier),
                          tap);
                });
          });
        }
      });
    });
    for (int i = 0; i < S.pixels; ++i)
      m.when(p.w + i < m.extent(role::out, 2), [&] {
        m.finish(sum[i], item_place<M>{p.n, p.h, p.w + i, p.c}, channels);
      });
  });
}

TKL_ISA_END
}  // namespace tkl
