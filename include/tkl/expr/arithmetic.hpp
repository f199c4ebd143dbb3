// SPDX-License-Identifier: Apache-2.0
// Functors of arithmetic: the elementary functions, comparisons and the choice between two values. NaN propagates
// unless said. Definitions: ONNX operators of the same name, opset 20.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl::fn {
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
}  // namespace tkl::fn
