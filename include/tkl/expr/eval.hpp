// SPDX-License-Identifier: Apache-2.0
// Evaluation: the shape of an expression is walked at compile time; a leaf policy supplies the values.
//
// A leaf policy has `value` and the members accumulator(), literal(float), scalar(node), channel(node), element(node),
// row(node), strided(node), index(node); each returns the value at the policy's place. The same expression so becomes
// SIMD registers, a scalar in double precision, or generated text. Operands are evaluated from left to right:
// what an expression names first stands first in a text.
#pragma once

#include <tkl/expr/functions.hpp>
#include <tkl/expr/node.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class L>
TKL_FN constexpr auto eval(const acc_node&, const L& leaf) {
  return leaf.accumulator();
}
template <class L>
TKL_FN constexpr auto eval(const literal_node& n, const L& leaf) {
  return leaf.literal(n.value);
}
template <class T, class L>
TKL_FN constexpr auto eval(const scalar_node<T>& n, const L& leaf) {
  return leaf.scalar(n);
}
template <class T, class L>
TKL_FN constexpr auto eval(const channel_node<T>& n, const L& leaf) {
  return leaf.channel(n);
}
template <class T, class L>
TKL_FN constexpr auto eval(const element_node<T>& n, const L& leaf) {
  return leaf.element(n);
}
template <class T, class L>
TKL_FN constexpr auto eval(const row_node<T>& n, const L& leaf) {
  return leaf.row(n);
}
template <class T, class L>
TKL_FN constexpr auto eval(const strided_node<T>& n, const L& leaf) {
  return leaf.strided(n);
}
template <class L>
TKL_FN constexpr auto eval(const index_node& n, const L& leaf) {
  return leaf.index(n);
}

template <class F, class A, class L>
TKL_FN constexpr auto eval(const apply_node<F, A>& n, const L& leaf);
template <class F, class A, class B, class L>
TKL_FN constexpr auto eval(const apply_node<F, A, B>& n, const L& leaf);
template <class F, class A, class B, class C, class L>
TKL_FN constexpr auto eval(const apply_node<F, A, B, C>& n, const L& leaf);

template <class F, class A, class L>
TKL_FN constexpr auto eval(const apply_node<F, A>& n, const L& leaf) {
  return F::call(eval(n.a, leaf));
}
template <class F, class A, class B, class L>
TKL_FN constexpr auto eval(const apply_node<F, A, B>& n, const L& leaf) {
  const auto a = eval(n.a, leaf);
  return F::call(a, eval(n.b, leaf));
}
template <class F, class A, class B, class C, class L>
TKL_FN constexpr auto eval(const apply_node<F, A, B, C>& n, const L& leaf) {
  const auto a = eval(n.a, leaf);
  const auto b = eval(n.b, leaf);
  return F::call(a, b, eval(n.c, leaf));
}

TKL_ISA_END
}  // namespace tkl
