// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along columns, fused with an epilogue.
//
//   for row:
//     m = max(x)                                       pass 1
//     s = sum of e[c], e[c] = exp(x[c] - m)            pass 2; rows up to S.buffer keep e on the stack
//     y[c] = epilogue(e[c] / s)                        pass 3; longer rows compute exp again
//   logarithm: y[c] = epilogue(x[c] - m - log(s))
//
// Plain IEEE arithmetic: a row that is all -infinity, or holds NaN or +infinity, becomes NaN throughout. A part of a
// row may be all -infinity: only the maximum of the whole row is subtracted. Rows without columns write nothing. y may
// be x.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/rows.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/schedule/row.hpp>

namespace tkl {

enum class softmax_kind : std::uint8_t { probability, logarithm };

/// x and y have equal extents; the columns of both are consecutive.
template <class TA, class TC>
struct softmax_problem {
  strided4<const TA> x{};
  strided4<TC> y{};
};

TKL_ISA_BEGIN

/// One row of n columns, at `at` (column 0).
template <row_schedule S, softmax_kind K, class M, class TA, class TC, class E>
TKL_NOINLINE void softmax_row(const TA* x, TC* y, std::int64_t n, position at, const E& epilogue) {
  using V = typename M::value;
  using scalar = typename M::scalar;
  const auto same = [](V v, std::int64_t, int) { return v; };
  // A NaN that this maximum loses makes the sum NaN.
  const V largest = M::splat(monoid::max_of_numbers::fold<M>(reduce_vectors<S, monoid::max_of_numbers, M>(x, n, same)));
  const E finishing = epilogue;  // a copy stays in registers: y may not overwrite it
  const auto apply = [&](const auto* from, auto value_of) {
    std::int64_t& c = at.column;
    for (; c + M::width <= n; c += M::width) finish<M>(finishing, value_of(M::load(from + c)), at, y + c);
    const int lanes = static_cast<int>(n - c);
    if (lanes > 0) finish<M>(finishing, value_of(M::load(from + c, lanes)), at, y + c, lanes);
  };
  const auto exponential = [largest](V v) { return math<V>::exp_nonpositive(v - largest); };
  // An exponential takes longer than an addition waits: more vectors at once would add code and no speed.
  constexpr row_schedule one_vector{1, S.buffer};
  const auto total = [&](auto f) {
    return M::splat(monoid::sum::fold<M>(reduce_vectors<one_vector, monoid::sum, M>(x, n, f)));
  };
  if constexpr (K == softmax_kind::logarithm) {
    const V shift = math<V>::log(total([&](V v, std::int64_t, int) { return exponential(v); }));
    apply(x, [&](V v) { return (v - largest) - shift; });
  } else {
    // One loop for rows of any length: those that are too long for `kept` go round in it, and compute again.
    constexpr auto size = static_cast<std::int64_t>(std::bit_floor(static_cast<unsigned>(S.buffer)));
    alignas(64) scalar kept[size];
    const V sum = total([&](V v, std::int64_t c, int lanes) {
      const V e = exponential(v);
      M::store(kept + (c & (size - 1)), e, lanes);
      return e;
    });
    const V scale = math<V>::div(math<V>::constant(1.0f), sum);
    if (n <= size) {
      apply(static_cast<const scalar*>(kept), [&](V e) { return e * scale; });
    } else {
      apply(x, [&](V v) { return exponential(v) * scale; });
    }
  }
}

/// Computes y. No scratch.
template <row_schedule S, softmax_kind K, class M, class TA, class TC, class E, class X>
requires valid_row_schedule<S>
void softmax(const softmax_problem<TA, TC>& p, const E& epilogue, const X& executor) {
  const strided_shape& from = p.x.shape;
  const strided_shape& to = p.y.shape;
  const std::int64_t columns = to.extent[3];
  if (columns == 0) return;
  executor.parallel_for(to.rows(), [&](std::int64_t begin, std::int64_t end, int) {
    row_walk place = row_walk::of(begin, to.extent);
    for (std::int64_t row = begin; row < end; ++row, place.next(to.extent)) {
      const position at{{place.outer[0], place.outer[1], place.outer[2]}, 0};
      softmax_row<S, K, M>(p.x.data + place.offset(from.stride), p.y.data + place.offset(to.stride), columns, at,
                           epilogue);
    }
  });
}

TKL_ISA_END
}  // namespace tkl
