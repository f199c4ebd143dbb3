// SPDX-License-Identifier: Apache-2.0
// Every element-wise function, once: a functor in terms of math<V>, and the function object that users call.
//
// A new one is a functor, its function object beside it, and its name in `function_list`. It then works eagerly, in
// graphs, in fused epilogues, in the interpreter and on every machine. Parameters (slopes, bounds) are operands.
//
// NaN propagates through all of them unless said. Definitions: ONNX operators of the same name, opset 20.
#pragma once

#include <cstddef>
#include <string_view>
#include <tkl/expr/node.hpp>
#include <tkl/expr/vocabulary.hpp>
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

namespace fn {
TKL_ISA_BEGIN

struct add {
  static constexpr std::string_view name = "add";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return a + b;
  }
};

struct sub {
  static constexpr std::string_view name = "sub";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return a - b;
  }
};

struct mul {
  static constexpr std::string_view name = "mul";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return a * b;
  }
};

struct div {
  static constexpr std::string_view name = "div";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return math<V>::div(a, b);
  }
};

/// x * scale + shift.
struct affine {
  static constexpr std::string_view name = "affine";
  static constexpr int arity = 3;
  template <class V>
  TKL_FN static constexpr V call(V x, V scale, V shift) {
    return math<V>::fma(x, scale, shift);
  }
};

struct min {
  static constexpr std::string_view name = "min";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return (math<V>::min)(a, b);
  }
};

struct max {
  static constexpr std::string_view name = "max";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return (math<V>::max)(a, b);
  }
};

struct neg {
  static constexpr std::string_view name = "neg";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return -a;
  }
};

struct abs {
  static constexpr std::string_view name = "abs";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::abs(a);
  }
};

struct square {
  static constexpr std::string_view name = "square";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return a * a;
  }
};

struct sqrt {
  static constexpr std::string_view name = "sqrt";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::sqrt(a);
  }
};

struct rsqrt {
  static constexpr std::string_view name = "rsqrt";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::div(math<V>::constant(1.0f), math<V>::sqrt(a));
  }
};

struct reciprocal {
  static constexpr std::string_view name = "reciprocal";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::div(math<V>::constant(1.0f), a);
  }
};

struct exp {
  static constexpr std::string_view name = "exp";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::exp(a);
  }
};

struct log {
  static constexpr std::string_view name = "log";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::log(a);
  }
};

struct pow {
  static constexpr std::string_view name = "pow";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return math<V>::pow(a, b);
  }
};

struct floor {
  static constexpr std::string_view name = "floor";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::floor(a);
  }
};

/// To the nearest integer, ties to even.
struct round {
  static constexpr std::string_view name = "round";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V a) {
    return math<V>::round(a);
  }
};

/// min(max(x, low), high).
struct clip {
  static constexpr std::string_view name = "clip";
  static constexpr int arity = 3;
  template <class V>
  TKL_FN static constexpr V call(V x, V low, V high) {
    return (math<V>::min)((math<V>::max)(x, low), high);
  }
};

struct relu {
  static constexpr std::string_view name = "relu";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::at_least(x, math<V>::constant(0.0f));
  }
};

struct relu6 {
  static constexpr std::string_view name = "relu6";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::at_most(math<V>::at_least(x, math<V>::constant(0.0f)), math<V>::constant(6.0f));
  }
};

/// x < 0 ? slope * x : x.
struct leaky_relu {
  static constexpr std::string_view name = "leaky_relu";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V x, V slope) {
    return math<V>::select_less(x, math<V>::constant(0.0f), x * slope, x);
  }
};

/// leaky_relu with a learnt slope, one per channel or one per element.
struct prelu {
  static constexpr std::string_view name = "prelu";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V x, V slope) {
    return leaky_relu::call(x, slope);
  }
};

/// x < 0 ? alpha * (e^x - 1) : x.
struct elu {
  static constexpr std::string_view name = "elu";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V x, V alpha) {
    const V zero = math<V>::constant(0.0f);
    return math<V>::select_less(x, zero, alpha * math<V>::expm1(math<V>::at_most(x, zero)), x);
  }
};

/// Klambauer et al., "Self-Normalizing Neural Networks", 2017.
struct selu {
  static constexpr std::string_view name = "selu";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    const V alpha = math<V>::constant(1.67326319217681884765625f);
    return math<V>::constant(1.05070102214813232421875f) * elu::call(x, alpha);
  }
};

/// 1 / (1 + e^-x).
struct sigmoid {
  static constexpr std::string_view name = "sigmoid";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::sigmoid(x);
  }
};

/// x * sigmoid(x); 0 at -infinity's side, never NaN for finite x.
struct silu {
  static constexpr std::string_view name = "silu";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return x * math<V>::sigmoid(x);
  }
};

/// clip(a * x + b, 0, 1). Frameworks disagree on a (0.2 or 1/6): it is always written.
struct hard_sigmoid {
  static constexpr std::string_view name = "hard_sigmoid";
  static constexpr int arity = 3;
  template <class V>
  TKL_FN static constexpr V call(V x, V a, V b) {
    const V y = math<V>::fma(x, a, b);
    return math<V>::at_most(math<V>::at_least(y, math<V>::constant(0.0f)), math<V>::constant(1.0f));
  }
};

/// x * clip(x + 3, 0, 6) / 6.
struct hard_swish {
  static constexpr std::string_view name = "hard_swish";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    const V y = x + math<V>::constant(3.0f);
    const V gate = math<V>::at_most(math<V>::at_least(y, math<V>::constant(0.0f)), math<V>::constant(6.0f));
    return x * (gate * math<V>::constant(1.0f / 6.0f));  // x * gate may overflow
  }
};

struct tanh {
  static constexpr std::string_view name = "tanh";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::tanh(x);
  }
};

struct erf {
  static constexpr std::string_view name = "erf";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::erf(x);
  }
};

/// x / 2 * (1 + erf(x / sqrt 2)): the exact form.
struct gelu {
  static constexpr std::string_view name = "gelu";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    const V t = math<V>::erf(x * math<V>::constant(0.707106781186547524f));
    return x * math<V>::fma(t, math<V>::constant(0.5f), math<V>::constant(0.5f));
  }
};

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), computed as x * sigmoid(2 u), which neither cancels nor
/// overflows; the argument is clamped so that 0 * infinity cannot arise.
struct gelu_tanh {
  static constexpr std::string_view name = "gelu_tanh";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    const V bound = math<V>::constant(64.0f);
    const V y = math<V>::at_most(math<V>::at_least(x, -bound), bound);
    const V cubic = math<V>::fma(y * y, math<V>::constant(0.044715f), math<V>::constant(1.0f));
    return x * math<V>::sigmoid(math<V>::constant(1.5957691216057308f) * y * cubic);
  }
};

/// log(1 + e^x) as max(x, 0) + log1p(e^-|x|): no overflow, no cancellation.
struct softplus {
  static constexpr std::string_view name = "softplus";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return math<V>::at_least(x, math<V>::constant(0.0f)) + math<V>::log1p(math<V>::exp(-math<V>::abs(x)));
  }
};

/// x * tanh(softplus(x)). Misra, 2019.
struct mish {
  static constexpr std::string_view name = "mish";
  static constexpr int arity = 1;
  template <class V>
  TKL_FN static constexpr V call(V x) {
    return x * math<V>::tanh(softplus::call(x));
  }
};

/// Comparisons give 1 or 0; a comparison with NaN gives 0.
struct less {
  static constexpr std::string_view name = "less";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return math<V>::select_less(a, b, math<V>::constant(1.0f), math<V>::constant(0.0f));
  }
};

struct less_equal {
  static constexpr std::string_view name = "less_equal";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    const V one = math<V>::constant(1.0f);
    return math<V>::select_less(a, b, one, math<V>::select_equal(a, b, one, math<V>::constant(0.0f)));
  }
};

struct equal {
  static constexpr std::string_view name = "equal";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return math<V>::select_equal(a, b, math<V>::constant(1.0f), math<V>::constant(0.0f));
  }
};

struct not_equal {
  static constexpr std::string_view name = "not_equal";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return math<V>::select_equal(a, b, math<V>::constant(0.0f), math<V>::constant(1.0f));
  }
};

struct greater {
  static constexpr std::string_view name = "greater";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return less::call(b, a);
  }
};

struct greater_equal {
  static constexpr std::string_view name = "greater_equal";
  static constexpr int arity = 2;
  template <class V>
  TKL_FN static constexpr V call(V a, V b) {
    return less_equal::call(b, a);
  }
};

/// condition != 0 ? a : b; a NaN in the operand not chosen does not reach the result.
struct select {
  static constexpr std::string_view name = "select";
  static constexpr int arity = 3;
  template <class V>
  TKL_FN static constexpr V call(V condition, V a, V b) {
    return math<V>::select_equal(condition, math<V>::constant(0.0f), b, a);
  }
};

TKL_ISA_END
}  // namespace fn

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
