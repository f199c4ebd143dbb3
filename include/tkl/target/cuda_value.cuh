// SPDX-License-Identifier: Apache-2.0
// Values of a CUDA thread: one or four floats in registers, and the vocabulary of expr/vocabulary.hpp over them.
//
// The functions are those of the CUDA math library in single precision; their errors are stated in the CUDA C++
// Programming Guide, section "Mathematical Functions". Division and square root are correctly rounded and subnormal
// numbers are kept unless the program is compiled with -use_fast_math or its parts.
#pragma once

#include <math.h>

#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <int N>
struct cuda_value {
  float lane[N];
};

namespace impl {

/// f of each lane.
template <int N, class F>
TKL_FN cuda_value<N> each(F f) {
  cuda_value<N> r;
  TKL_UNROLL
  for (int i = 0; i < N; ++i) r.lane[i] = f(i);
  return r;
}

}  // namespace impl

template <int N>
TKL_FN cuda_value<N> operator+(const cuda_value<N>& a, const cuda_value<N>& b) {
  return impl::each<N>([&](int i) { return a.lane[i] + b.lane[i]; });
}
template <int N>
TKL_FN cuda_value<N> operator-(const cuda_value<N>& a, const cuda_value<N>& b) {
  return impl::each<N>([&](int i) { return a.lane[i] - b.lane[i]; });
}
template <int N>
TKL_FN cuda_value<N> operator*(const cuda_value<N>& a, const cuda_value<N>& b) {
  return impl::each<N>([&](int i) { return a.lane[i] * b.lane[i]; });
}
template <int N>
TKL_FN cuda_value<N> operator-(const cuda_value<N>& a) {
  return impl::each<N>([&](int i) { return -a.lane[i]; });
}

template <int N>
struct math<cuda_value<N>> {
  using V = cuda_value<N>;
  TKL_FN static V constant(float v) {
    return impl::each<N>([&](int) { return v; });
  }
  TKL_FN static V fma(const V& a, const V& b, const V& c) {
    return impl::each<N>([&](int i) { return ::fmaf(a.lane[i], b.lane[i], c.lane[i]); });
  }
  TKL_FN static V div(const V& a, const V& b) {
    return impl::each<N>([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  TKL_FN static V(max)(const V& a, const V& b) {
    return impl::each<N>([&](int i) { return maximum(a.lane[i], b.lane[i]); });
  }
  TKL_FN static V(min)(const V& a, const V& b) {
    return impl::each<N>([&](int i) { return -maximum(-a.lane[i], -b.lane[i]); });
  }
  TKL_FN static V at_least(const V& a, const V& bound) {
    return impl::each<N>([&](int i) { return a.lane[i] < bound.lane[i] ? bound.lane[i] : a.lane[i]; });
  }
  TKL_FN static V at_most(const V& a, const V& bound) {
    return impl::each<N>([&](int i) { return a.lane[i] > bound.lane[i] ? bound.lane[i] : a.lane[i]; });
  }
  TKL_FN static V abs(const V& a) {
    return impl::each<N>([&](int i) { return ::fabsf(a.lane[i]); });
  }
  TKL_FN static V sqrt(const V& a) {
    return impl::each<N>([&](int i) { return ::sqrtf(a.lane[i]); });
  }
  TKL_FN static V floor(const V& a) {
    return impl::each<N>([&](int i) { return ::floorf(a.lane[i]); });
  }
  TKL_FN static V round(const V& a) {
    return impl::each<N>([&](int i) { return ::rintf(a.lane[i]); });
  }
  TKL_FN static V select_less(const V& a, const V& b, const V& x, const V& y) {
    return impl::each<N>([&](int i) { return a.lane[i] < b.lane[i] ? x.lane[i] : y.lane[i]; });
  }
  TKL_FN static V select_equal(const V& a, const V& b, const V& x, const V& y) {
    return impl::each<N>([&](int i) { return a.lane[i] == b.lane[i] ? x.lane[i] : y.lane[i]; });
  }
  TKL_FN static V exp(const V& a) {
    return impl::each<N>([&](int i) { return ::expf(a.lane[i]); });
  }
  TKL_FN static V exp_nonpositive(const V& a) { return exp(a); }
  TKL_FN static V log(const V& a) {
    return impl::each<N>([&](int i) { return ::logf(a.lane[i]); });
  }
  TKL_FN static V tanh(const V& a) {
    return impl::each<N>([&](int i) { return ::tanhf(a.lane[i]); });
  }
  TKL_FN static V erf(const V& a) {
    return impl::each<N>([&](int i) { return ::erff(a.lane[i]); });
  }
  TKL_FN static V expm1(const V& a) {
    return impl::each<N>([&](int i) { return ::expm1f(a.lane[i]); });
  }
  TKL_FN static V log1p(const V& a) {
    return impl::each<N>([&](int i) { return ::log1pf(a.lane[i]); });
  }
  TKL_FN static V pow(const V& a, const V& b) {
    return impl::each<N>([&](int i) { return ::powf(a.lane[i], b.lane[i]); });
  }
  /// e / (1 + e) or 1 / (1 + e) with e = exp(-|a|): both tails keep their relative accuracy, NaN stays.
  TKL_FN static V sigmoid(const V& a) {
    const V e = exp(-abs(a)), one = constant(1.0f);
    return div(select_less(a, constant(0.0f), e, one), one + e);
  }

 private:
  TKL_FN static float maximum(float a, float b) { return a != a ? a : b != b ? b : ::fmaxf(a, b); }
};

TKL_ISA_END
}  // namespace tkl
