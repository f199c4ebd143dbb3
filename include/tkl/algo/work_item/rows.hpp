// SPDX-License-Identifier: Apache-2.0
// What the row operations of work items share: one item, or the team of threads that a machine gives it, reduces a
// whole row.
//
//   for block of the row:                         sums of sums, so that long rows round as short ones do
//     for vector of the block:                      each thread of the team takes every team-th
//       part = combine(part, f(x[c...]))          the last vector masked by the neutral element
//     whole = combine(whole, part)
//   result = combination of the lanes, then of the team
//
// One item per row needs neither barriers nor local memory, and keeps a device busy where there are some hundred rows;
// threads of one team exchange their results in registers.
#pragma once

#include <tkl/algo/work_item/roles.hpp>
#include <tkl/expr/row_monoid.hpp>

namespace tkl {

/// Columns of a block.
inline constexpr int item_block = 256;

TKL_ISA_BEGIN
namespace impl {

/// Combination of the lanes of v, from the first to the last.
template <class P, class M>
constexpr typename M::one fold_lanes(M& m, const typename M::value& v) {
  typename M::one all = m.lane(v, 0);
  for (int l = 1; l < item_width; ++l) all = P::combine(all, m.lane(v, l));
  return all;
}

/// The same over the team, too: every thread of it gets the result.
template <class P, class M>
constexpr typename M::one fold_team(M& m, const typename M::value& v) {
  return m.template fold_team<P>(fold_lanes<P>(m, v));
}

/// Combines f(vector) over those of the `columns` elements of `in` from `first` on that are this thread's; one state
/// per lane. `whole` is a variable.
template <class P, class M, class F>
constexpr void reduce_item_row(M& m, typename M::value& whole, const typename M::integer& first,
                               const typename M::integer& columns, F f) {
  using integer = typename M::integer;
  using value = typename M::value;
  m.loop(m.index(0), columns, item_block, [&](const integer& begin) {
    const integer end = m.least(begin + item_block, columns), last = end - (item_width - 1);
    value part = m.variable(P::template identity<value>());
    m.loop(begin + m.team_place() * item_width, last, item_width * M::team,
           [&](const integer& c) { m.assign(part, P::combine(part, f(m.load(role::in, first + c)))); });
    const integer rest = begin + (end - begin) / item_width * item_width;
    m.when(m.if_leading(rest < end), [&] {
      const integer lanes = end - rest;
      const value v = f(m.load(role::in, first + rest, lanes));
      m.assign(part, P::combine(part, m.keep_first(v, lanes, P::template identity<value>())));
    });
    m.assign(whole, P::combine(whole, part));
  });
}

/// The combination of a whole row as one lane.
template <class P, class M, class F>
constexpr typename M::one item_row(M& m, const typename M::integer& first, const typename M::integer& columns, F f) {
  typename M::value whole = m.variable(P::template identity<typename M::value>());
  reduce_item_row<P>(m, whole, first, columns, f);
  return fold_team<P>(m, whole);
}

/// Calls f(index of a vector's first element, its place) for each vector of the row of place p, and lets f's result be
/// the accumulator of the epilogue there.
template <class M, class F>
constexpr void finish_item_row(M& m, const item_place<M>& p, const typename M::integer& first,
                               const typename M::integer& columns, F f) {
  using integer = typename M::integer;
  m.loop(m.team_place() * item_width, columns, item_width * M::team, [&](const integer& c) {
    m.finish(f(m.load(role::in, first + c, columns - c)), item_place<M>{p.n, p.h, p.w, c}, columns);
  });
}

/// Calls body(place) for the row of each item.
template <class M, class F>
constexpr void for_row(M& m, F body) {
  using integer = typename M::integer;
  const integer w = m.item(0), line = m.item(1), height = m.extent(role::out, 1);
  m.when(integer(w < m.extent(role::out, 2)) & (line < m.extent(role::out, 0) * height), [&] {
    body(item_place<M>{line / height, line % height, w, m.index(0)});
  });
}

}  // namespace impl

TKL_ISA_END

/// Items for one row of the output each: along rows, along lines.
constexpr item_counts items_of_rows(const std::int32_t* extent) {
  return {{extent[2], std::int64_t{extent[0]} * extent[1], 1}};
}

}  // namespace tkl
