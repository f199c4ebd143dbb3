// SPDX-License-Identifier: Apache-2.0
// Reductions over any subset of the four axes, one work item: one result, or item_width neighbouring ones.
//
// Columns reduced:                                 Columns kept (global pooling):
//   for reduced outer place:                         for reduced outer place, row by row:
//     state[lane] = combine(state, vectors of row)     state[v] = combine(state[v], x[v])
//   y = epilogue(finish(fold of the lanes))          y[v] = epilogue(finish(state[v]))
//
// The arg-max keeps the first of the largest elements, and the first NaN before all others.
#pragma once

#include <tkl/algo/work_item/rows.hpp>
#include <tkl/graph/attributes.hpp>
#include <type_traits>

namespace tkl {

/// Items of a reduction: see items_of_output; arg-max computes one result per item.
constexpr item_counts reduce_items(const std::int32_t* out, bool one) {
  return items_of_output(out, one ? 1 : item_width, 1);
}

TKL_ISA_BEGIN
namespace impl {

/// Calls f(index) for each place of the reduced outer axes from `axis` on; `at`: index so far.
template <unsigned Axes, int Axis = 0, class M, class F>
constexpr void for_reduced(M& m, const typename M::integer& at, F f) {
  using integer = typename M::integer;
  if constexpr (Axis == 3) {
    f(at);
  } else if constexpr ((Axes >> Axis & 1u) != 0) {
    m.loop(m.index(0), m.extent(role::in, Axis), 1,
           [&](const integer& i) { for_reduced<Axes, Axis + 1>(m, at + i * m.stride(role::in, Axis), f); });
  } else {
    for_reduced<Axes, Axis + 1>(m, at, f);
  }
}

/// Index of a result's first element.
template <unsigned Axes, class M>
constexpr typename M::integer first_reduced(M& m, const item_place<M>& p) {
  typename M::integer at = p.c;
  if constexpr ((Axes & 1u) == 0) at = at + p.n * m.stride(role::in, 0);
  if constexpr ((Axes & 2u) == 0) at = at + p.h * m.stride(role::in, 1);
  if constexpr ((Axes & 4u) == 0) at = at + p.w * m.stride(role::in, 2);
  return at;
}

/// Elements that one result combines.
template <unsigned Axes, class M>
constexpr typename M::integer reduced_count(M& m) {
  typename M::integer count = m.index(1);
  for (int axis = 0; axis < 4; ++axis)
    if (Axes >> axis & 1u) count = count * m.extent(role::in, axis);
  return count;
}

}  // namespace impl

namespace impl {

/// Divides by the count where that is asked for, and stores.
template <reduce_kind K, unsigned Axes, class V, class M>
constexpr void finish_reduction(M& m, V state, const item_place<M>& p) {
  if constexpr (K == reduce_kind::mean) {
    const typename M::one count = m.number(reduced_count<Axes>(m));
    if constexpr ((Axes & 8u) != 0) {
      state = math<V>::div(state, count);
    } else {
      state = math<V>::div(state, m.splat(count));
    }
  }
  m.finish(state, p, m.extent(role::out, 3));
}

}  // namespace impl

/// Sum, mean, max, min.
template <reduce_kind K, unsigned Axes, class M>
constexpr void reduce_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  using P = std::conditional_t<K == reduce_kind::max, monoid::max,
                               std::conditional_t<K == reduce_kind::min, monoid::min, monoid::sum>>;
  constexpr bool columns_reduced = (Axes & 8u) != 0;
  for_place(m, columns_reduced ? 1 : item_width, 1, [&](const item_place<M>& p) {
    value state = m.variable(P::template identity<value>());
    const integer first = impl::first_reduced<Axes>(m, p), lanes = m.extent(role::out, 3) - p.c;
    if constexpr (columns_reduced) {
      impl::for_reduced<Axes>(m, first, [&](const integer& at) {
        impl::reduce_item_row<P>(m, state, at, m.extent(role::in, 3), [](const value& v) { return v; });
      });
      const typename M::one all = impl::fold_team<P>(m, state);
      m.when_leading([&] { impl::finish_reduction<K, Axes>(m, all, p); });
    } else {
      // The innermost reduced axis is summed by itself: sums of sums.
      constexpr int inner = (Axes & 4u) != 0 ? 2 : (Axes & 2u) != 0 ? 1 : 0;
      impl::for_reduced<Axes & ~(1u << inner)>(m, first, [&](const integer& row) {
        value part = m.variable(P::template identity<value>());
        m.loop(m.index(0), m.extent(role::in, inner), 1, [&](const integer& i) {
          m.assign(part, P::combine(part, m.load(role::in, row + i * m.stride(role::in, inner), lanes)));
        });
        m.assign(state, P::combine(state, part));
      });
      impl::finish_reduction<K, Axes>(m, state, p);
    }
  });
}

/// The index of the largest element, counted in row-major order over the reduced axes.
template <unsigned Axes, class M>
constexpr void argmax_item(M& m) {
  using integer = typename M::integer;
  using one = typename M::one;
  for_place(m, 1, 1, [&](const item_place<M>& p) {
    const integer first = impl::first_reduced<Axes>(m, p);
    m.when(impl::reduced_count<Axes>(m) > 0, [&] {
      one largest = m.variable(m.load_one(role::in, first));
      integer index = m.variable(m.index(0)), count = m.variable(m.index(0));
      const auto meet = [&](const integer& at) {
        const one v = m.load_one(role::in, at);
        m.when(m.replaces(v, largest), [&] {
          m.assign(largest, v);
          m.assign(index, count);
        });
        m.assign(count, count + 1);
      };
      impl::for_reduced<Axes>(m, first, [&](const integer& row) {
        if constexpr ((Axes & 8u) != 0) {
          m.loop(m.index(0), m.extent(role::in, 3), 1, [&](const integer& c) { meet(row + c); });
        } else {
          meet(row);
        }
      });
      m.store_index(row_index(m, role::out, p.n, p.h, p.w) + p.c, index);
    });
  });
}

TKL_ISA_END
}  // namespace tkl
