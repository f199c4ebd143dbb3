// SPDX-License-Identifier: Apache-2.0
// Tensors and views as operands of expressions: every function of graph values takes them too, and then builds an
// expression that computes nothing until assign() evaluates it.
//
// An expression keeps pointers to the elements of its operands: they must live until it is evaluated. A temporary
// tensor is a compile error.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/tensor.hpp>
#include <tkl/core/view.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/op/params.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// Parameters that are part of the type: checked when the program is compiled.
template <auto P>
struct fixed_params {
  static constexpr bool is_static = true;
  static constexpr const auto& get() { return value; }
  static constexpr auto value = P;
};
/// Parameters that are arguments: checked when the program runs.
template <class P>
struct given_params {
  static constexpr bool is_static = false;
  P value{};
  constexpr const P& get() const { return value; }
};

/// Where the elements of an operand lie: element i, j, ... at data[offset + i * steps[0] + j * steps[1] + ...].
template <class T>
struct located {
  T* data = nullptr;
  std::int64_t offset = 0;
  shape extents{};
  axis_steps steps{};
  complaint error{};  // what is wrong with the operand; empty when nothing is
};

template <class T, class L>
TKL_TAGGED constexpr located<T> locate(const view<T, L>& v) {
  located<T> l{v.data(), 0, v.shape(), v.steps(), {}};
  if (!v.layout().agrees())
    l.error << "extents " << l.extents << ", the type declares " << L::declared;
  else if (!l.extents.elements().valid)
    l.error << "extents " << l.extents << " are negative or their product leaves 64 bits";
  return l;
}

/// Another arrangement of a source's elements: P::value knows how (op/operand_views.hpp).
template <class Source, class P>
struct rearranged {
  using element_type = typename Source::element_type;
  static constexpr int rank = std::remove_cvref_t<decltype(std::declval<P>().get())>::template rank_from<Source::rank>;
  static constexpr bool is_static = Source::is_static && P::is_static;
  Source source{};
  P params{};
};
template <class Source, class P>
TKL_TAGGED constexpr auto locate(const rearranged<Source, P>& r) {
  auto l = locate(r.source);
  if (l.error.empty()) r.params.get().apply(l);
  return l;
}

template <class X>
inline constexpr bool is_operand = false;
template <class T, class L>
inline constexpr bool is_operand<view<T, L>> = true;
template <class Source, class P>
inline constexpr bool is_operand<rearranged<Source, P>> = true;

/// A view, or a rearranged one.
template <class X>
concept operand = is_operand<std::remove_cvref_t<X>>;

template <class X>
inline constexpr bool is_tensor = false;
template <class T, class L>
inline constexpr bool is_tensor<tensor<T, L>> = true;

/// What functions accept as an operand.
template <class X>
concept operand_source = operand<X> || is_tensor<std::remove_cvref_t<X>>;

/// The operand that an argument is: a tensor becomes a view of it.
template <operand_source X>
constexpr auto as_operand(X&& x) {
  using plain = std::remove_cvref_t<X>;
  if constexpr (operand<plain>) {
    return plain(x);
  } else {
    static_assert(std::is_lvalue_reference_v<X>,
                  "a temporary tensor is gone before the expression is evaluated: give the tensor a name");
    return view(x);
  }
}
template <operand_source X>
using operand_of = decltype(as_operand(std::declval<X>()));
template <class X>
using element_of_operand = std::remove_const_t<typename std::remove_cvref_t<X>::element_type>;

/// Extents that the type of an operand declares: dyn where they are known at run time only.
template <operand X>
inline constexpr shape declared_extents = [] {
  if constexpr (X::is_static) {
    return locate(X{}).extents;
  } else if constexpr (requires { X::layout_type::declared; }) {
    return X::layout_type::declared;
  } else {
    shape s;
    for (int i = 0; i < X::rank; ++i) s[s.rank++] = dyn;
    return s;
  }
}();

/// Whether the last axis is known to have neighbouring elements.
template <operand X>
inline constexpr bool has_unit_columns = [] {
  if constexpr (requires { X::layout_type::unit_columns; }) {
    return X::layout_type::unit_columns;
  } else if constexpr (X::is_static && X::rank > 0) {
    return locate(X{}).steps[X::rank - 1] == 1;
  } else {
    return false;
  }
}();

/// An operand in an element-wise expression; its extents broadcast to the result's.
template <operand X>
struct operand_leaf : expression_base {
  X source{};
};

/// One value per column (channel) of the result; never broadcast.
template <operand X>
struct channel_leaf : expression_base {
  X source{};
};

template <class A>
concept eager_argument = operand_source<A> || node_operand<std::remove_cvref_t<A>>;

/// An argument as a node of an expression.
template <eager_argument A>
constexpr auto as_leaf(A&& a) {
  using plain = std::remove_cvref_t<A>;
  if constexpr (operand_source<A>) {
    auto x = as_operand(std::forward<A>(a));
    return operand_leaf<decltype(x)>{{}, x};
  } else if constexpr (expression<plain>) {
    return plain(a);
  } else {
    return literal_node{{}, static_cast<float>(a)};
  }
}

/// Function objects applied to tensors and views, or to them and expressions and numbers.
template <class F, class... A>
requires((... || operand_source<A>)) struct application<F, A...> {
  static_assert((... && eager_argument<A>),
                "an element-wise function of tensors takes tensors, views, expressions and numbers");
  template <class... X>
  TKL_FN static constexpr auto make(X&&... x) {
    return make_apply<F>(as_leaf(std::forward<X>(x))...);
  }
};

template <class A, class B>
concept eager_operands = (operand_source<A> || operand_source<B>)&&eager_argument<A>&& eager_argument<B>;

template <class A, class B>
requires eager_operands<A, B> TKL_FN constexpr auto operator+(A&& a, B&& b) {
  return make_apply<fn::add>(as_leaf(std::forward<A>(a)), as_leaf(std::forward<B>(b)));
}
template <class A, class B>
requires eager_operands<A, B> TKL_FN constexpr auto operator-(A&& a, B&& b) {
  return make_apply<fn::sub>(as_leaf(std::forward<A>(a)), as_leaf(std::forward<B>(b)));
}
template <class A, class B>
requires eager_operands<A, B> TKL_FN constexpr auto operator*(A&& a, B&& b) {
  return make_apply<fn::mul>(as_leaf(std::forward<A>(a)), as_leaf(std::forward<B>(b)));
}
template <class A, class B>
requires eager_operands<A, B> TKL_FN constexpr auto operator/(A&& a, B&& b) {
  return make_apply<fn::div>(as_leaf(std::forward<A>(a)), as_leaf(std::forward<B>(b)));
}
template <operand_source A>
TKL_FN constexpr auto operator-(A&& a) {
  return make_apply<fn::neg>(as_leaf(std::forward<A>(a)));
}

/// A bias, a scale: one value per channel of the result. `x`: a tensor or view with one axis, or any container of
/// consecutive elements (std::array, std::vector, an array).
template <class X>
constexpr auto channel(X&& x) {
  if constexpr (operand_source<X>) {
    auto source = as_operand(std::forward<X>(x));
    static_assert(decltype(source)::rank == 1, "channel takes one axis of values");
    return channel_leaf<decltype(source)>{{}, source};
  } else {
    static_assert(std::is_lvalue_reference_v<X>,
                  "a temporary container is gone before the expression is evaluated: give it a name");
    using T = std::remove_reference_t<decltype(*std::data(x))>;
    if constexpr (std::is_array_v<std::remove_reference_t<X>>) {
      using V = view<const T, row_major<static_cast<std::int64_t>(std::extent_v<std::remove_reference_t<X>>)>>;
      return channel_leaf<V>{{}, V(x)};
    } else if constexpr (requires { std::tuple_size<std::remove_cvref_t<X>>::value; }) {
      using V = view<const T, row_major<static_cast<std::int64_t>(std::tuple_size<std::remove_cvref_t<X>>::value)>>;
      return channel_leaf<V>{{}, V(std::data(x))};
    } else {
      using V = view<const T, row_major<dyn>>;
      return channel_leaf<V>{{}, V(std::data(x), row_major<dyn>(static_cast<std::int64_t>(std::size(x))))};
    }
  }
}

}  // namespace tkl
