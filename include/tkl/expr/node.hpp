// SPDX-License-Identifier: Apache-2.0
// Expression nodes: data only. A node holds values or pointers, never references to temporaries, and no vector code.
//
// An expression is evaluated for one place of an output at a time. A place is three outer indices and a column (the
// innermost index); on a vector machine it covers consecutive columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <type_traits>

namespace tkl {

/// Marks every node.
struct expression_base {};

template <class E>
concept expression = std::is_base_of_v<expression_base, std::remove_cvref_t<E>>;

/// What may stand beside a node: another node, or a number.
template <class E>
concept node_operand = expression<E> || std::is_arithmetic_v<E>;

/// A place in an output: outer indices (image, row, column of pixels; or batch, -, row of a matrix) and the innermost
/// index.
struct position {
  std::int64_t outer[3]{};
  std::int64_t column = 0;
};

/// What the algorithm computed at this place: the sum of a contraction, the normalised value, the loaded element.
struct acc_node : expression_base {};
inline constexpr acc_node acc{};

/// A constant known when the expression is built.
struct literal_node : expression_base {
  float value = 0;
};

/// One value in memory, the same at every place.
template <class T>
struct scalar_node : expression_base {
  const T* data = nullptr;
};

/// One value per column: a bias. `data` holds as many elements as the output has columns.
template <class T>
struct channel_node : expression_base {
  const T* data = nullptr;
};

/// A tensor of the output's shape, broadcast by strides of 0 in `stride`, consecutive along columns.
template <class T>
struct element_node : expression_base {
  const T* data = nullptr;
  std::int64_t stride[3]{};  // elements per outer index
};

/// A tensor that does not vary along columns.
template <class T>
struct row_node : expression_base {
  const T* data = nullptr;
  std::int64_t stride[3]{};
};

/// A tensor of the output's shape whose columns are `inner` elements apart.
template <class T>
struct strided_node : expression_base {
  const T* data = nullptr;
  std::int64_t stride[3]{};
  std::int64_t inner = 1;
};

/// Index of the place along one outer axis (0 to 2) or along columns (3), as a number.
struct index_node : expression_base {
  int axis = 3;
};

/// A function applied to operands. The functor is a type without state, so that the node stays data.
template <class F, class... A>
struct apply_node;
template <class F, class A>
struct apply_node<F, A> : expression_base {
  A a;
};
template <class F, class A, class B>
struct apply_node<F, A, B> : expression_base {
  A a;
  B b;
};
template <class F, class A, class B, class C>
struct apply_node<F, A, B, C> : expression_base {
  A a;
  B b;
  C c;
};

/// Numbers become literals; nodes stay as they are.
template <class E>
requires expression<E> TKL_FN constexpr E as_node(E e) {
  return e;
}
template <class N>
requires std::is_arithmetic_v<N> TKL_FN constexpr literal_node as_node(N v) {
  return {{}, static_cast<float>(v)};
}

/// Builds apply_node<F, ...>; arguments are nodes or numbers.
template <class F, class A>
TKL_FN constexpr auto make_apply(A a) {
  auto x = as_node(a);
  return apply_node<F, decltype(x)>{{}, x};
}
template <class F, class A, class B>
TKL_FN constexpr auto make_apply(A a, B b) {
  auto x = as_node(a);
  auto y = as_node(b);
  return apply_node<F, decltype(x), decltype(y)>{{}, x, y};
}
template <class F, class A, class B, class C>
TKL_FN constexpr auto make_apply(A a, B b, C c) {
  auto x = as_node(a);
  auto y = as_node(b);
  auto z = as_node(c);
  return apply_node<F, decltype(x), decltype(y), decltype(z)>{{}, x, y, z};
}

}  // namespace tkl
