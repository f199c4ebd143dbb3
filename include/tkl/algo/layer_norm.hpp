// SPDX-License-Identifier: Apache-2.0
// Layer normalisation along columns: y = epilogue((x - mean) / sqrt(variance + eps)), population variance.
//
//   for row:  with a = x[0]
//     d = mean of (x[c] - a)                                    pass 1: differences of near numbers are exact
//     v = mean of (x[c] - a - d)^2 - (mean of (x[c] - a - d))^2 pass 2: centred; the last term mends the rounding of d
//     y[c] = epilogue((x[c] - a - d) / sqrt(v + eps))           pass 3
//
// Two passes with the correction of Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983:
// nothing cancels when the mean is large against the spread. Scale and offset are part of the epilogue: affine(acc,
// channel(scale), channel(offset)). y may be x.
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

/// One row of n > 0 columns, at `at` (column 0).
template <row_schedule S, class M, class TA, class TC, class E>
TKL_NOINLINE void layer_norm_row(const TA* x, TC* y, std::int64_t n, float eps, position at, const E& epilogue) {
  using V = typename M::value;
  const V count = math<V>::constant(static_cast<float>(n)), zero = math<V>::constant(0.0f);
  const auto mean_of = [&](V sums) { return math<V>::div(M::splat(M::reduce_add(sums)), count); };
  const V pivot = M::broadcast(x);
  V shift = mean_of(reduce_vectors<S, monoid::sum, M>(x, n, [&](V v, std::int64_t, int) { return v - pivot; }));
  const auto sums = reduce_vectors<S, monoid::moments, M>(x, n, [&](V v, std::int64_t, int) {
    const V d = (v - pivot) - shift;
    return monoid::moments_state<V>{d, d * d};
  });
  const V drift = mean_of(sums.first);
  const V variance = math<V>::max(mean_of(sums.second) - drift * drift, zero);
  shift = shift + drift;
  const V scale = math<V>::div(math<V>::constant(1.0f), math<V>::sqrt(variance + math<V>::constant(eps)));
  std::int64_t& c = at.column;
  for (; c + M::width <= n; c += M::width) finish<M>(epilogue, ((M::load(x + c) - pivot) - shift) * scale, at, y + c);
  const int lanes = static_cast<int>(n - c);
  if (lanes > 0) finish<M>(epilogue, ((M::load(x + c, lanes) - pivot) - shift) * scale, at, y + c, lanes);
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
    row_walk place = row_walk::of(begin, to.extent);
    for (std::int64_t row = begin; row < end; ++row, place.next(to.extent)) {
      const position at{{place.outer[0], place.outer[1], place.outer[2]}, 0};
      layer_norm_row<S, M>(p.x.data + place.offset(from.stride), p.y.data + place.offset(to.stride), columns, p.eps, at,
                           epilogue);
    }
  });
}

TKL_ISA_END
}  // namespace tkl
