// SPDX-License-Identifier: Apache-2.0
// Functors of activations: what networks put between their layers. NaN propagates. Definitions: ONNX operators of the
// same name, opset 20, where no paper is named.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl::fn {
TKL_ISA_BEGIN

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

TKL_ISA_END
}  // namespace tkl::fn
