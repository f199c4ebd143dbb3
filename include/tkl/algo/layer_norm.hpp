// SPDX-License-Identifier: Apache-2.0
// Layer normalisation along columns: y = epilogue((x - mean) / sqrt(variance + eps)), population variance.
//
//   for group of rows that the first-level cache holds:
//     for row:                                                      pass 1, with a = x[0]
//       d = mean of (x[c] - a), v = mean of (x[c] - a)^2 - d^2
//       if a lies more than 4 standard deviations from the mean:    rare: an outlier
//         the same with a + d for a
//     for row:                                                      pass 2
//       y[c] = epilogue((x[c] - a - d) / sqrt(v + eps))
//
// By groups, because the end of pass 1 is a chain of slow operations, which the sums of the next row hide.
//
// The shifted data algorithm (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983):
// differences of near numbers are exact, so a mean that is large against the spread costs nothing, and the subtraction
// of d^2 at most four bits. Squares must not overflow: |x - mean| < 1e18. Scale and offset are part of the epilogue:
// affine(acc, channel(scale), channel(offset)). y may be x.
#pragma once

#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/rows.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/schedule/row.hpp>

namespace tkl {

/// x and y have equal extents; the columns of both are consecutive.
template <class TA, class TC>
struct layer_norm_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
  float eps = 1e-5f;
};

TKL_ISA_BEGIN

/// Rows of a group: few, and all elements in half of the first-level cache.
inline constexpr std::int64_t most_grouped_rows = 8;
constexpr std::int64_t grouped_rows(std::int64_t columns) {
  const std::int64_t fitting = 4096 / columns;
  return fitting < 1 ? 1 : fitting < most_grouped_rows ? fitting : most_grouped_rows;
}

/// Mean of x[c] - centre, and the variance of the row.
template <class scalar>
struct row_spread {
  scalar drift, variance;
};
template <row_schedule S, class M, class TA>
TKL_FN row_spread<typename M::scalar> spread_of_row(const TA* x, std::int64_t n, typename M::value centre) {
  using V = typename M::value;
  using scalar = typename M::scalar;
  const auto sums = reduce_vectors<S, monoid::moments, M>(x, n, [centre](V v, std::int64_t, int) {
    const V d = v - centre;
    return monoid::moments_state<V>{d, d * d};
  });
  const scalar share = scalar{1} / static_cast<scalar>(n);
  const scalar drift = M::reduce_add(sums.first) * share;
  const scalar variance = M::reduce_add(sums.second) * share - drift * drift;
  return {drift, variance < 0 ? scalar{0} : variance};
}

/// What makes a row normal: (x - centre) * scale + offset.
template <class M>
struct row_norm {
  typename M::value centre, scale, offset;
};
template <row_schedule S, class M, class TA>
TKL_NOINLINE row_norm<M> measure_row(const TA* x, std::int64_t n, float eps) {
  using V = typename M::value;
  V centre = M::broadcast(x);
  row_spread<typename M::scalar> spread;
  for (int turn = 0;; ++turn, centre = centre + M::splat(spread.drift)) {
    spread = spread_of_row<S, M>(x, n, centre);
    if (turn == 1 || !(spread.drift * spread.drift > 16 * spread.variance)) break;
  }
  const V root = math<V>::sqrt(M::splat(spread.variance) + math<V>::constant(eps));
  const V scale = math<V>::div(math<V>::constant(1.0f), root);
  return {centre, scale, -M::splat(spread.drift) * scale};
}

/// One row of n columns, at `at` (column 0).
template <class M, class TA, class TC, class E>
TKL_NOINLINE void normalise_row(const TA* x, TC* y, std::int64_t n, const row_norm<M>& norm, position at,
                                const E& epilogue) {
  using V = typename M::value;
  const E finishing = epilogue;  // copies stay in registers: y may not overwrite them
  const auto normalised = [own = norm](V v) { return math<V>::fma(v - own.centre, own.scale, own.offset); };
  std::int64_t& c = at.column;
  for (; c + M::width <= n; c += M::width) finish<M>(finishing, normalised(M::load(x + c)), at, y + c);
  const int lanes = static_cast<int>(n - c);
  if (lanes > 0) finish<M>(finishing, normalised(M::load(x + c, lanes)), at, y + c, lanes);
}

/// Computes y. No scratch.
template <row_schedule S, class M, class TA, class TC, class E, class X>
requires valid_row_schedule<S>
void layer_norm(const layer_norm_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  const strided_shape& from = p.x.shape;
  const strided_shape& to = p.y.shape;
  const std::int64_t columns = to.extent[3];
  if (columns == 0) return;
  executor.parallel_for(to.rows(), [&](std::int64_t begin, std::int64_t end, int) {
    row_norm<M> norms[most_grouped_rows];
    row_walk place = row_walk::of(begin, to.extent);
    for (std::int64_t row = begin, count; row < end; row += count) {
      count = end - row < grouped_rows(columns) ? end - row : grouped_rows(columns);
      row_walk read = place;
      for (std::int64_t i = 0; i < count; ++i, read.next(to.extent))
        norms[i] = measure_row<S, M>(p.x.data + read.offset(from.stride), columns, p.eps);
      for (std::int64_t i = 0; i < count; ++i, place.next(to.extent)) {
        const position at{{place.outer[0], place.outer[1], place.outer[2]}, 0};
        normalise_row<M>(p.x.data + place.offset(from.stride), p.y.data + place.offset(to.stride), columns, norms[i],
                         at, epilogue);
      }
    }
  });
}

TKL_ISA_END
}  // namespace tkl
