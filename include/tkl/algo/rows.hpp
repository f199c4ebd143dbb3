// SPDX-License-Identifier: Apache-2.0
// What the row operations share: walking the rows of a tensor, and reducing one row.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/row_monoid.hpp>
#include <tkl/schedule/row.hpp>

namespace tkl {

/// Outer indices of row `row` of a tensor with the outer extents `extent`, and the step to the next row.
struct row_walk {
  std::int64_t outer[3]{};

  static constexpr row_walk of(std::int64_t row, const std::int64_t* extent) {
    return {{row / extent[2] / extent[1], row / extent[2] % extent[1], row % extent[2]}};
  }
  constexpr void next(const std::int64_t* extent) {
    if (++outer[2] < extent[2]) return;
    outer[2] = 0;
    if (++outer[1] < extent[1]) return;
    outer[1] = 0;
    ++outer[0];
  }
  constexpr std::int64_t offset(const std::int64_t* stride) const {
    return outer[0] * stride[0] + outer[1] * stride[1] + outer[2] * stride[2];
  }
};

/// Terms that are summed one after the other before they join the next level of a cascade.
inline constexpr std::int64_t cascade_block = 32;
inline constexpr int cascade_levels = 4;

TKL_ISA_BEGIN

/// A running reduction in four levels of cascade_block terms each: the rounding errors of a sum of up to a million
/// terms are those of at most 128 additions. Without rounding there is one level.
template <class P, class V>
struct cascade {
  using state = typename P::template state<V>;
  static constexpr int levels = P::rounds ? cascade_levels : 1;
  state level[levels];
  std::int64_t count = 0;

  TKL_FN cascade() {
    for (state& s : level) s = P::template identity<V>();
  }
  TKL_NOINLINE void add(state term) {
    level[0] = P::combine(level[0], term);
    if constexpr (P::rounds) {
      std::int64_t terms = ++count;
      for (int i = 1; i < levels && terms % cascade_block == 0; ++i, terms /= cascade_block) {
        level[i] = P::combine(level[i], level[i - 1]);
        level[i - 1] = P::template identity<V>();
      }
    }
  }
  TKL_FN state total() const {
    state sum = level[0];
    for (int i = 1; i < levels; ++i) sum = P::combine(level[i], sum);
    return sum;
  }
};

/// The elements [first, n) of a row, at most one cascade block of steps: see reduce_vectors.
template <row_schedule S, class P, class M, class T, class F>
TKL_FN auto reduce_block(const T* x, std::int64_t first, std::int64_t n, F f) {
  using V = typename M::value;
  using state = typename P::template state<V>;
  constexpr std::int64_t step = static_cast<std::int64_t>(S.vectors) * M::width;
  state acc[S.vectors];
  TKL_UNROLL
  for (int v = 0; v < S.vectors; ++v) acc[v] = P::template identity<V>();
  std::int64_t c = first;
  for (; c + step <= n; c += step) {
    TKL_UNROLL
    for (int v = 0; v < S.vectors; ++v)
      acc[v] = P::combine(acc[v], f(M::load(x + c + v * M::width), c + v * M::width, M::width));
  }
  for (; c + M::width <= n; c += M::width) acc[0] = P::combine(acc[0], f(M::load(x + c), c, M::width));
  if (c < n) {
    const int lanes = static_cast<int>(n - c);
    acc[S.vectors - 1] =
        P::combine(acc[S.vectors - 1], P::template masked<M>(f(M::load(x + c, lanes), c, lanes), lanes));
  }
  state sum = acc[0];
  TKL_UNROLL
  for (int v = 1; v < S.vectors; ++v) sum = P::combine(sum, acc[v]);
  return sum;
}

/// A row of more than one block. The loop of one block is compiled twice: a call for short rows would cost a softmax or
/// a layer norm in cache a fifth of its speed.
template <row_schedule S, class P, class M, class T, class F>
TKL_NOINLINE auto reduce_blocks(const T* x, std::int64_t n, F f) {
  constexpr std::int64_t block = static_cast<std::int64_t>(S.vectors) * M::width * cascade_block;
  cascade<P, typename M::value> whole;
  for (std::int64_t c = 0; c < n; c += block) whole.add(reduce_block<S, P, M>(x, c, n - c < block ? n : c + block, f));
  return whole.total();
}

/// Combines f(vector of elements, first column, lanes), a state of P, over n consecutive elements: lane l of the result
/// covers the elements l, l + width, ... Lanes beyond the end count as the neutral element.
///   for block of the row:  for step of `vectors` vectors:  acc[v] = combine(acc[v], f(x[...]))
template <row_schedule S, class P, class M, class T, class F>
TKL_FN auto reduce_vectors(const T* x, std::int64_t n, F f) {
  constexpr std::int64_t block = static_cast<std::int64_t>(S.vectors) * M::width * cascade_block;
  return !P::rounds || n <= block ? reduce_block<S, P, M>(x, 0, n, f) : reduce_blocks<S, P, M>(x, n, f);
}

TKL_ISA_END
}  // namespace tkl
