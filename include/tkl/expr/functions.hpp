// SPDX-License-Identifier: Apache-2.0
// Every element-wise function as users call it, and the list of all of them.
//
// A new one is a functor in terms of math<V> (expr/activations.hpp, expr/arithmetic.hpp), and here its function object
// and its name in `function_list`. It then works eagerly, in graphs, in fused epilogues, in the interpreter and on
// every machine. Parameters (slopes, bounds) are operands.
#pragma once

#include <cstddef>
#include <string_view>
#include <tkl/expr/activations.hpp>
#include <tkl/expr/arithmetic.hpp>
#include <tkl/expr/node.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tkl {

/// How a function object treats its arguments. Specialised for graph values in op/elementwise.hpp.
template <class F, class... A>
struct application {
  static_assert((... || expression<A>), "an element-wise function takes expressions or graph values");
  TKL_FN static constexpr auto make(A... a) { return make_apply<F>(a...); }
};

/// A function object: relu(x) builds an expression or a graph node, depending on x.
template <class F>
struct function {
  template <class... A>
  TKL_FN constexpr auto operator()(A&&... a) const {
    static_assert(sizeof...(A) == F::arity, "wrong number of arguments for this element-wise function");
    return application<F, std::remove_cvref_t<A>...>::make(std::forward<A>(a)...);
  }
};

inline constexpr function<fn::add> add{};
inline constexpr function<fn::sub> sub{};
inline constexpr function<fn::mul> mul{};
inline constexpr function<fn::div> div{};
inline constexpr function<fn::affine> affine{};
inline constexpr function<fn::min> min{};
inline constexpr function<fn::max> max{};
inline constexpr function<fn::neg> neg{};
inline constexpr function<fn::abs> abs{};
inline constexpr function<fn::square> square{};
inline constexpr function<fn::sqrt> sqrt{};
inline constexpr function<fn::rsqrt> rsqrt{};
inline constexpr function<fn::reciprocal> reciprocal{};
inline constexpr function<fn::exp> exp{};
inline constexpr function<fn::log> log{};
inline constexpr function<fn::pow> pow{};
inline constexpr function<fn::floor> floor{};
inline constexpr function<fn::round> round{};
inline constexpr function<fn::clip> clip{};
inline constexpr function<fn::relu> relu{};
inline constexpr function<fn::relu6> relu6{};
inline constexpr function<fn::leaky_relu> leaky_relu{};
inline constexpr function<fn::prelu> prelu{};
inline constexpr function<fn::elu> elu{};
inline constexpr function<fn::selu> selu{};
inline constexpr function<fn::sigmoid> sigmoid{};
inline constexpr function<fn::silu> silu{};
inline constexpr function<fn::hard_sigmoid> hard_sigmoid{};
inline constexpr function<fn::hard_swish> hard_swish{};
inline constexpr function<fn::tanh> tanh{};
inline constexpr function<fn::erf> erf{};
inline constexpr function<fn::gelu> gelu{};
inline constexpr function<fn::gelu_tanh> gelu_tanh{};
inline constexpr function<fn::softplus> softplus{};
inline constexpr function<fn::mish> mish{};
inline constexpr function<fn::less> less{};
inline constexpr function<fn::less_equal> less_equal{};
inline constexpr function<fn::equal> equal{};
inline constexpr function<fn::not_equal> not_equal{};
inline constexpr function<fn::greater> greater{};
inline constexpr function<fn::greater_equal> greater_equal{};
inline constexpr function<fn::select> select{};

/// Functors as a list; the index of one in it is its number in plans. New ones go to the end.
template <class... F>
struct functor_list {
  static constexpr int size = sizeof...(F);
  template <class G>
  static constexpr int index_of = [] {
    int i = 0, found = -1;
    // The builtin: std::is_same_v would be instantiated for every pair of functors.
    ((__is_same(F, G) ? void(found = i++) : void(++i)), ...);
    return found;
  }();
  template <int Index>
  using at = std::tuple_element_t<Index, std::tuple<F...>>;
  static constexpr std::string_view names[sizeof...(F)] = {F::name...};
  static constexpr int arities[sizeof...(F)] = {F::arity...};
};

using function_list =
    functor_list<fn::add, fn::sub, fn::mul, fn::div, fn::affine, fn::min, fn::max, fn::neg, fn::abs, fn::square,
                 fn::sqrt, fn::rsqrt, fn::reciprocal, fn::exp, fn::log, fn::pow, fn::floor, fn::round, fn::clip,
                 fn::relu, fn::relu6, fn::leaky_relu, fn::prelu, fn::elu, fn::selu, fn::sigmoid, fn::silu,
                 fn::hard_sigmoid, fn::hard_swish, fn::tanh, fn::erf, fn::gelu, fn::gelu_tanh, fn::softplus, fn::mish,
                 fn::less, fn::less_equal, fn::equal, fn::not_equal, fn::greater, fn::greater_equal, fn::select>;

/// Number of functor F in function_list; a compile error when it is not listed.
template <class F>
inline constexpr int function_index = [] {
  static_assert(function_list::index_of<F> >= 0, "this functor is missing from function_list (expr/functions.hpp)");
  return function_list::index_of<F>;
}();

// Operators on expressions (graph values have the same ones in op/elementwise.hpp).
template <class A, class B>
requires((expression<A> || expression<B>)&&node_operand<A>&& node_operand<B>) TKL_FN constexpr auto operator+(A a,
                                                                                                              B b) {
  return make_apply<fn::add>(a, b);
}
template <class A, class B>
requires((expression<A> || expression<B>)&&node_operand<A>&& node_operand<B>) TKL_FN constexpr auto operator-(A a,
                                                                                                              B b) {
  return make_apply<fn::sub>(a, b);
}
template <class A, class B>
requires((expression<A> || expression<B>)&&node_operand<A>&& node_operand<B>) TKL_FN constexpr auto operator*(A a,
                                                                                                              B b) {
  return make_apply<fn::mul>(a, b);
}
template <class A, class B>
requires((expression<A> || expression<B>)&&node_operand<A>&& node_operand<B>) TKL_FN constexpr auto operator/(A a,
                                                                                                              B b) {
  return make_apply<fn::div>(a, b);
}
template <class A>
requires expression<A> TKL_FN constexpr auto operator-(A a) {
  return make_apply<fn::neg>(a);
}

}  // namespace tkl
