// SPDX-License-Identifier: Apache-2.0
// Reductions over any subset of the four axes: sum, mean, max, min, and the index of the largest element.
//
// Columns reduced (reduce_columns):          Columns kept (reduce_outer; global pooling is this):
//   for output place:                          for output row, block of columns:
//     for reduced outer place:                   for reduced outer place, 32 at a time:
//       state = combine(state, row)                state[v] = combine(state[v], x[v])     v: vectors of the block
//   y = epilogue(finish(fold of the lanes))      y[v] = epilogue(finish(state[v]))
//
// Sums run in f32 (f64 on the reference) whatever the elements' type, in cascades of 32 terms (algo/rows.hpp). A NaN
// makes its result NaN; argmax gives the index of the first NaN, else of the first of the largest elements, counted in
// row-major order over the reduced axes. Over no elements: sum 0, mean NaN, max -infinity, min +infinity; argmax writes
// nothing.
#pragma once

#include <cstdint>
#include <tkl/algo/argmax.hpp>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/reduce_problem.hpp>
#include <tkl/algo/rows.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/schedule/row.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

template <reduce_kind K>
using monoid_of = std::conditional_t<K == reduce_kind::max, monoid::max,
                                     std::conditional_t<K == reduce_kind::min, monoid::min, monoid::sum>>;

template <reduce_kind K, class V>
TKL_FN V finish_reduction(V state, std::int64_t count) {
  if constexpr (K == reduce_kind::mean) {
    return math<V>::div(state, math<V>::constant(static_cast<float>(count)));
  } else {
    return state;
  }
}

/// One output element: all columns of the reduced rows that begin at x.
template <row_schedule S, reduce_kind K, class M, class TA>
TKL_NOINLINE typename M::value reduce_all(const TA* x, const reduced_axes& r) {
  using V = typename M::value;
  using P = monoid_of<K>;
  cascade<P, V> whole;
  const auto same = [](V v, std::int64_t, int) { return v; };
  for_reduced_rows(r, [&](std::int64_t offset) { whole.add(reduce_vectors<S, P, M>(x + offset, r.columns, same)); });
  return finish_reduction<K>(M::splat(P::template fold<M>(whole.total())), r.count());
}

/// `vectors` vectors of columns from x on, of which the last holds `lanes` columns; the results go to `out`.
template <reduce_kind K, int Vectors, class M, class TA>
TKL_FN void reduce_block(const TA* x, const reduced_axes& r, int lanes, typename M::value* out) {
  using V = typename M::value;
  using P = monoid_of<K>;
  cascade<P, V> whole[Vectors];
  for (std::int64_t i = 0; i < r.extent[0]; ++i)
    for (std::int64_t j = 0; j < r.extent[1]; ++j)
      for (std::int64_t k = 0; k < r.extent[2];) {
        const TA* row = x + i * r.stride[0] + j * r.stride[1] + k * r.stride[2];
        const std::int64_t end = r.extent[2] - k < cascade_block ? r.extent[2] : k + cascade_block;
        V part[Vectors];
        TKL_UNROLL
        for (int v = 0; v < Vectors; ++v) part[v] = P::template identity<V>();
        for (; k < end; ++k, row += r.stride[2]) {
          TKL_UNROLL
          for (int v = 0; v < Vectors - 1; ++v) part[v] = P::combine(part[v], M::load(row + v * M::width));
          part[Vectors - 1] = P::combine(part[Vectors - 1], M::load(row + (Vectors - 1) * M::width, lanes));
        }
        for (int v = 0; v < Vectors; ++v) whole[v].add(part[v]);
      }
  for (int v = 0; v < Vectors; ++v) out[v] = finish_reduction<K>(whole[v].total(), r.count());
}

}  // namespace impl

/// The reduction when columns are among the reduced axes.
template <row_schedule S, reduce_kind K, class M, class TA, class TC, class E, class X>
void reduce_columns(const reduce_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  const reduced_axes r(p.x.shape, p.axes);
  const std::int64_t* extent = p.y.shape.extent;
  executor.parallel_for(p.y.shape.rows(), [&](std::int64_t begin, std::int64_t end, int) {
    row_walk place = row_walk::of(begin, extent);
    for (std::int64_t row = begin; row < end; ++row, place.next(extent)) {
      const TA* x = p.x.data + place.offset(r.kept_stride);
      TC* y = p.y.data + place.offset(p.y.shape.stride);
      const position at{{place.outer[0], place.outer[1], place.outer[2]}, 0};
      finish<M>(epilogue, impl::reduce_all<S, K, M>(x, r), at, y, 1);
    }
  });
}

/// The reduction when columns are kept.
template <row_schedule S, reduce_kind K, class M, class TA, class TC, class E, class X>
void reduce_outer(const reduce_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  using V = typename M::value;
  const reduced_axes r(p.x.shape, p.axes);
  const std::int64_t* extent = p.y.shape.extent;
  constexpr std::int64_t block = static_cast<std::int64_t>(S.vectors) * M::width;
  const std::int64_t columns = extent[3], blocks = (columns + block - 1) / block;
  executor.parallel_for(p.y.shape.rows() * blocks, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const row_walk place = row_walk::of(unit / blocks, extent);
      std::int64_t c = unit % blocks * block;
      const std::int64_t last = columns - c < block ? columns : c + block;
      const TA* x = p.x.data + place.offset(r.kept_stride);
      TC* y = p.y.data + place.offset(p.y.shape.stride);
      position at{{place.outer[0], place.outer[1], place.outer[2]}, c};
      V out[S.vectors];
      if (last - c == block) {
        impl::reduce_block<K, S.vectors, M>(x + c, r, M::width, out);
        for (int v = 0; v < S.vectors; ++v, at.column += M::width) finish<M>(epilogue, out[v], at, y + at.column);
      } else {
        for (; at.column < last; at.column += M::width) {
          const int lanes = last - at.column < M::width ? static_cast<int>(last - at.column) : M::width;
          impl::reduce_block<K, 1, M>(x + at.column, r, lanes, out);
          finish<M>(epilogue, out[0], at, y + at.column, lanes);
        }
      }
    }
  });
}

/// Computes y, whose extents are those of x with 1 on the reduced axes. No scratch.
template <row_schedule S, reduce_kind K, class M, class TA, class TC, class E, class X>
requires valid_row_schedule<S>
void reduce(const reduce_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  if constexpr (K == reduce_kind::argmax) {
    static_assert(std::is_same_v<E, acc_node>, "an index takes no epilogue");
    argmax<M>(p, executor);
  } else if (p.axes & 8u) {
    reduce_columns<S, K, M>(p, epilogue, executor);
  } else {
    reduce_outer<S, K, M>(p, epilogue, executor);
  }
}

TKL_ISA_END
}  // namespace tkl
