// SPDX-License-Identifier: Apache-2.0
// What a reduction is: a neutral element and an associative way to combine two states. Softmax, normalisation and the
// reductions over axes are written over these.
//
// P::state<V> is what a lane carries; P::identity<V>() and P::combine(a, b) work on every value type with math<V>;
// P::masked<M>(a, n) puts the neutral element in all lanes of a but the first n; P::fold<M>(a) combines the lanes of a
// value of machine M into one scalar. `rounds` says that combining rounds, so that long sums must be cut into blocks.
#pragma once

#include <concepts>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl {

template <class P, class V>
concept row_monoid = requires(typename P::template state<V> a) {
  { P::template identity<V>() } -> std::same_as<typename P::template state<V>>;
  { P::combine(a, a) } -> std::same_as<typename P::template state<V>>;
  { P::rounds } -> std::convertible_to<bool>;
};

namespace monoid {
TKL_ISA_BEGIN

/// State and masking of the monoids whose state is one value.
template <class Self>
struct single {
  template <class V>
  using state = V;
  template <class M>
  TKL_FN static constexpr typename M::value masked(typename M::value v, int lanes) {
    return M::keep_first(v, lanes, Self::template identity<typename M::value>());
  }
};

struct sum : single<sum> {
  static constexpr bool rounds = true;
  template <class V>
  TKL_FN static constexpr V identity() {
    return math<V>::constant(0.0f);
  }
  template <class V>
  TKL_FN static constexpr V combine(V a, V b) {
    return a + b;
  }
  template <class M>
  TKL_FN static constexpr auto fold(typename M::value v) {
    return M::reduce_add(v);
  }
};

/// NaN wins.
struct max : single<max> {
  static constexpr bool rounds = false;
  template <class V>
  TKL_FN static constexpr V identity() {
    return math<V>::constant(-std::numeric_limits<float>::infinity());
  }
  template <class V>
  TKL_FN static constexpr V combine(V a, V b) {
    return (math<V>::max)(a, b);
  }
  template <class M>
  TKL_FN static constexpr auto fold(typename M::value v) {
    return M::reduce_max(v);
  }
};

/// The largest of the numbers; a NaN may get lost. For use where a NaN shows in another way, for one instruction.
struct max_of_numbers : single<max_of_numbers> {
  static constexpr bool rounds = false;
  template <class V>
  TKL_FN static constexpr V identity() {
    return max::identity<V>();
  }
  template <class V>
  TKL_FN static constexpr V combine(V a, V b) {
    return math<V>::at_least(b, a);
  }
  template <class M>
  TKL_FN static constexpr auto fold(typename M::value v) {
    return M::reduce_max(v);
  }
};

/// NaN wins.
struct min : single<min> {
  static constexpr bool rounds = false;
  template <class V>
  TKL_FN static constexpr V identity() {
    return math<V>::constant(std::numeric_limits<float>::infinity());
  }
  template <class V>
  TKL_FN static constexpr V combine(V a, V b) {
    return (math<V>::min)(a, b);
  }
  template <class M>
  TKL_FN static constexpr auto fold(typename M::value v) {
    return M::reduce_min(v);
  }
};

/// Two sums side by side: of the terms and of their squares.
template <class V>
struct moments_state {
  V first, second;
};
struct moments {
  static constexpr bool rounds = true;
  template <class V>
  using state = moments_state<V>;
  template <class V>
  TKL_FN static constexpr moments_state<V> identity() {
    return {math<V>::constant(0.0f), math<V>::constant(0.0f)};
  }
  template <class V>
  TKL_FN static constexpr moments_state<V> combine(moments_state<V> a, moments_state<V> b) {
    return {a.first + b.first, a.second + b.second};
  }
  template <class M>
  TKL_FN static constexpr moments_state<typename M::value> masked(moments_state<typename M::value> a, int lanes) {
    return {sum::masked<M>(a.first, lanes), sum::masked<M>(a.second, lanes)};
  }
};

TKL_ISA_END
}  // namespace monoid
}  // namespace tkl
