// SPDX-License-Identifier: Apache-2.0
// math<V> of SIMD batches: the vocabulary of expr/vocabulary.hpp over the register operations and expr/elementary.hpp.
#pragma once

#include <cmath>
#include <tkl/config.hpp>
#include <tkl/expr/elementary.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/target/cpu_avx2.hpp>
#include <tkl/target/cpu_avx512.hpp>
#include <tkl/target/cpu_neon.hpp>
#include <tkl/target/cpu_sse2.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class A>
struct math<xsimd::batch<float, A>> {
  using V = xsimd::batch<float, A>;
  using R = registers<A>;
  using E = elementary<R>;

  TKL_FN static V constant(float v) { return V(v); }
  TKL_FN static V fma(V a, V b, V c) { return R::fma(a, b, c); }
  TKL_FN static V div(V a, V b) { return R::div(a, b); }
  TKL_FN static V(max)(V a, V b) { return (R::max)(a, b); }
  TKL_FN static V(min)(V a, V b) { return (R::min)(a, b); }
  TKL_FN static V at_least(V a, V bound) { return R::at_least(a, bound); }
  TKL_FN static V at_most(V a, V bound) { return R::at_most(a, bound); }
  TKL_FN static V abs(V a) { return R::abs(a); }
  TKL_FN static V sqrt(V a) { return R::sqrt(a); }
  TKL_FN static V floor(V a) { return R::floor(a); }
  TKL_FN static V round(V a) { return R::round(a); }
  TKL_FN static V select_less(V a, V b, V x, V y) { return R::select_less(a, b, x, y); }
  TKL_FN static V select_equal(V a, V b, V x, V y) { return R::select_equal(a, b, x, y); }
  TKL_FN static V exp(V a) { return E::exp(a); }
  TKL_FN static V exp_nonpositive(V a) { return E::exp_nonpositive(a); }
  TKL_FN static V log(V a) { return E::log(a); }
  TKL_FN static V tanh(V a) { return E::tanh(a); }
  TKL_FN static V erf(V a) { return E::erf(a); }
  TKL_FN static V expm1(V a) { return E::expm1(a); }
  TKL_FN static V log1p(V a) { return E::log1p(a); }
  TKL_FN static V sigmoid(V a) { return E::sigmoid(a); }
  /// Lane by lane in double precision: correctly rounded but slow.
  TKL_FN static V pow(V a, V b) {
    alignas(64) float x[V::size], y[V::size];
    a.store_aligned(x);
    b.store_aligned(y);
    for (std::size_t i = 0; i < V::size; ++i)
      x[i] = static_cast<float>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
    return V::load_aligned(x);
  }
};

TKL_ISA_END
}  // namespace tkl
