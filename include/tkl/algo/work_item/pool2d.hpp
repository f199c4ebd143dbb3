// SPDX-License-Identifier: Apache-2.0
// Max and average pooling, one work item: one vector of channels of one window.
//
//   for tap row, tap column inside the input:
//     accumulator = max or sum with the input
//   divide (average), epilogue, store
//
// Padding never takes part, as on the CPU; NaN in a window gives NaN.
#pragma once

#include <tkl/algo/work_item/roles.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/graph/attributes.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Taps [first, last) of one axis of a window that lie inside of the input, and how many lie inside of the padded one.
template <class M>
struct item_window {
  typename M::integer origin, first, last, padded;
};
template <class M>
constexpr item_window<M> window_of(M& m, int axis, const typename M::integer& output) {
  using integer = typename M::integer;
  const integer dilation = m.parameter(parameter::dilation, axis), kernel = m.parameter(parameter::kernel, axis);
  const integer extent = m.extent(role::in, 1 + axis), pad = m.parameter(parameter::pad, axis);
  const integer origin = output * m.parameter(parameter::stride, axis) - pad;
  const auto taps_before = [&](const integer& bound) {  // taps whose place is less than bound, of all from origin on
    return m.least(kernel, m.most(m.index(0), bound - origin + dilation - 1) / dilation);
  };
  const integer first = taps_before(m.index(0));
  return {origin, first, taps_before(extent), taps_before(extent + m.parameter(parameter::pad, 2 + axis))};
}

}  // namespace impl

template <pool_kind K, class M>
constexpr void pool2d_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  using P = std::conditional_t<K == pool_kind::max, monoid::max, monoid::sum>;
  for_place(m, item_width, 1, [&](const item_place<M>& p) {
    const integer channels = m.extent(role::out, 3), lanes = channels - p.c;
    const impl::item_window<M> rows = impl::window_of(m, 0, p.h), columns = impl::window_of(m, 1, p.w);
    integer cells = m.index(1);  // that an average counts
    if constexpr (K == pool_kind::average) {
      const integer inside = (rows.last - rows.first) * (columns.last - columns.first);
      cells = m.choose(m.parameter(parameter::include_pad, 0), rows.padded * columns.padded, inside);
    }
    value state = m.variable(P::template identity<value>());
    m.loop(rows.first, rows.last, 1, [&](const integer& u) {
      const integer row = rows.origin + u * m.parameter(parameter::dilation, 0);
      const integer line = p.n * m.stride(role::in, 0) + row * m.stride(role::in, 1) + p.c;
      m.loop(columns.first, columns.last, 1, [&](const integer& v) {
        const integer column = columns.origin + v * m.parameter(parameter::dilation, 1);
        m.assign(state, P::combine(state, m.load(role::in, line + column * m.stride(role::in, 2), lanes)));
      });
    });
    if constexpr (K == pool_kind::average) state = math<value>::div(state, m.splat(m.number(cells)));
    m.finish(state, p, channels);
  });
}

TKL_ISA_END
}  // namespace tkl
