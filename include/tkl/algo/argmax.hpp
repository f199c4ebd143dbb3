// SPDX-License-Identifier: Apache-2.0
// The index of the largest element over any subset of the four axes: the first of equal ones, and the first NaN before
// all others. Indices count in row-major order over the reduced axes and must fit the output's type.
//
// Columns reduced:  for output place: the largest element (vectors), then its first place (vectors, ends when found)
// Columns kept:     for output row, vector of columns: for reduced place: keep the larger element and its index
#pragma once

#include <cstdint>
#include <tkl/algo/reduce_problem.hpp>
#include <tkl/algo/rows.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/schedule/row.hpp>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// Index of the first element of a row that equals `sought`, or is NaN where `sought` is; n if there is none.
template <class M, class T>
TKL_FN std::int64_t first_place(const T* x, std::int64_t n, typename M::value sought) {
  using V = typename M::value;
  const V one = math<V>::constant(1.0f), zero = math<V>::constant(0.0f);
  for (std::int64_t c = 0; c < n; c += M::width) {
    const int lanes = n - c < M::width ? static_cast<int>(n - c) : M::width;
    const V v = M::load(x + c, lanes);
    const V equal = math<V>::select_equal(v, sought, one, zero);
    const V found = math<V>::select_equal(sought, sought, equal, math<V>::select_equal(v, v, zero, one));
    if (M::reduce_max(M::keep_first(found, lanes, zero)) == 0) continue;
    for (int l = 0; l < lanes; ++l)
      if (M::lane(found, l) != 0) return c + l;
  }
  return n;
}

template <class M, class TA>
TKL_NOINLINE std::int64_t argmax_all(const TA* x, const reduced_axes& r) {
  using V = typename M::value;
  constexpr row_schedule schedule{};
  const auto same = [](V v, std::int64_t, int) { return v; };
  V largest = monoid::max::identity<V>();
  for_reduced_rows(r, [&](std::int64_t offset) {
    largest = (math<V>::max)(largest, reduce_vectors<schedule, monoid::max, M>(x + offset, r.columns, same));
  });
  const V sought = M::splat(M::reduce_max(largest));
  std::int64_t before = 0, index = -1;
  for_reduced_rows(r, [&](std::int64_t offset) {
    if (index >= 0) return;
    const std::int64_t place = first_place<M>(x + offset, r.columns, sought);
    if (place < r.columns) index = before + place;
    before += r.columns;
  });
  return index;
}

/// One vector of columns. A float counts exactly to 2^24, so the index has two digits of base 2^20.
template <class M, class TA, class TC>
TKL_NOINLINE void argmax_vector(const TA* x, const reduced_axes& r, int lanes, TC* y) {
  using V = typename M::value;
  using math_v = math<V>;
  constexpr std::int64_t base = std::int64_t{1} << 20;
  V largest = M::load(x, lanes), low = M::zero(), high = M::zero();
  std::int64_t index = 0;
  for_reduced_rows(r, [&](std::int64_t offset) {
    const V v = M::load(x + offset, lanes);
    const std::int64_t part = index % base, whole = index / base;
    const V low_now = math_v::constant(static_cast<float>(part)),
            high_now = math_v::constant(static_cast<float>(whole));
    const auto choose = [&](V now, V held) {  // v is larger, or the first NaN
      const V larger = math_v::select_less(largest, v, now, held);
      return math_v::select_equal(v, v, larger, math_v::select_equal(largest, largest, now, held));
    };
    low = choose(low_now, low);
    high = choose(high_now, high);
    largest = (math_v::max)(largest, v);
    ++index;
  });
  for (int l = 0; l < lanes; ++l)
    y[l] = static_cast<TC>(static_cast<std::int64_t>(M::lane(high, l)) * base +
                           static_cast<std::int64_t>(M::lane(low, l)));
}

}  // namespace impl

/// Computes y. Nothing is written where there are no elements to choose from. No scratch.
template <class M, class TA, class TC, class X>
void argmax(const reduce_problem<TA, TC>& p, const X& executor) {
  const reduced_axes r(p.x.shape, p.axes);
  if (r.count() == 0) return;
  const std::int64_t* extent = p.y.shape.extent;
  const bool columns_reduced = (p.axes & 8u) != 0;
  const std::int64_t vectors = (extent[3] + M::width - 1) / M::width;
  executor.parallel_for(p.y.shape.rows() * vectors, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const row_walk place = row_walk::of(unit / vectors, extent);
      const std::int64_t c = unit % vectors * M::width;
      const TA* x = p.x.data + place.offset(r.kept_stride) + c;
      TC* y = p.y.data + place.offset(p.y.shape.stride) + c;
      if (columns_reduced) {
        *y = static_cast<TC>(impl::argmax_all<M>(x, r));
      } else {
        impl::argmax_vector<M>(x, r, extent[3] - c < M::width ? static_cast<int>(extent[3] - c) : M::width, y);
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
