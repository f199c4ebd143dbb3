// SPDX-License-Identifier: Apache-2.0
// Elementary functions of f32, written once over the register operations of a machine.
//
// Polynomials are minimax fits (Remez exchange) of the functions named beside them, weighted by the relative error of
// the result. Subnormal arguments and results are kept, NaN propagates, infinities give their limits. Measured errors
// in units in the last place: docs/numerics.md. Sources: argument reduction by two-part constants, Cody and Waite,
// "Software Manual for the Elementary Functions", 1980; log1p's correction term, Kahan (Hewlett-Packard HP-15C Advanced
// Functions Handbook, 1982).
//
// R, the register operations, has the type `value` and the static functions
//   fma(a, b, c)  div(a, b)  abs(a)  copy_sign(magnitude, sign)
//   at_least(a, bound)  at_most(a, bound)      max and min; a NaN in `a` passes, `bound` is not NaN
//   select_less(a, b, x, y)  select_equal(a, b, x, y)
//   power_of_two(t, k)    2^(n + k), given t = n + 1.5 * 2^23 with n whole and -127 < n + k < 128
//   split(x, m, e)        x = m * 2^e of a positive normal x, with m in [sqrt(1/2), sqrt(2))
#pragma once

#include <limits>
#include <tkl/config.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class R>
struct elementary {
  using V = typename R::value;

  /// e^x.
  TKL_FN static V exp(V x) {
    const reduced a = reduce(R::at_most(R::at_least(x, V(-104.0f)), V(89.0f)));
    // 2^n may be subnormal or too large for one factor: two factors of half the exponent.
    const V low = R::fma(a.n, V(0.5f), V(shifter));
    const V high = (a.n - (low - V(shifter))) + V(shifter);
    return exp_of_rest(a.r) * R::power_of_two(low, 0) * R::power_of_two(high, 0);
  }

  /// e^x for x <= 0, a little cheaper: the result cannot overflow.
  TKL_FN static V exp_nonpositive(V x) {
    const reduced a = reduce(R::at_least(x, V(-104.0f)));
    return exp_of_rest(a.r) * R::power_of_two(a.t, 64) * V(0x1p-64f);
  }

  /// e^x - 1.
  TKL_FN static V expm1(V x) {
    const reduced a = reduce(R::at_most(R::at_least(x, V(-20.0f)), V(89.0f)));
    // 2^n (e^r - 1) + (2^n - 1), all halved: 2^128 would overflow.
    const V half_power = R::power_of_two(a.t, -1);
    return R::fma(half_power, expm1_of_rest(a.r), half_power - V(0.5f)) * V(2.0f);
  }

  /// Natural logarithm; -infinity at 0, NaN below.
  TKL_FN static V log(V x) {
    const V infinity(std::numeric_limits<float>::infinity());
    const V smallest_normal((std::numeric_limits<float>::min)());
    const V scaled = R::select_less(x, smallest_normal, x * V(0x1p23f), x);
    V m, e;
    R::split(scaled, m, e);
    e = e - R::select_less(x, smallest_normal, V(23.0f), V(0.0f));
    const V f = m - V(1.0f);
    // log(1 + f) = f - f^2 / 2 + f^3 p(f)
    V p = V(6.746642292e-02f);
    p = R::fma(p, f, V(-1.167565137e-01f));
    p = R::fma(p, f, V(1.188816130e-01f));
    p = R::fma(p, f, V(-1.240558922e-01f));
    p = R::fma(p, f, V(1.421955228e-01f));
    p = R::fma(p, f, V(-1.666799635e-01f));
    p = R::fma(p, f, V(2.000211924e-01f));
    p = R::fma(p, f, V(-2.500000894e-01f));
    p = R::fma(p, f, V(3.333331347e-01f));
    const V square = f * f;
    V y = R::fma(e, V(-ln2_rest), (p * f) * square);
    y = R::fma(square, V(-0.5f), y) + f;
    y = R::fma(e, V(ln2_head), y);
    const V at_most_zero = R::select_equal(x, V(0.0f), -infinity, V(std::numeric_limits<float>::quiet_NaN()));
    return R::select_less(V(0.0f), x, R::select_less(x, infinity, y, x), at_most_zero);
  }

  /// log(1 + x).
  TKL_FN static V log1p(V x) {
    const V u = V(1.0f) + x;
    const V lost = x - (u - V(1.0f));  // what rounding took from 1 + x
    V correction = R::select_less(V(0.0f), u, R::div(lost, u), V(0.0f));
    correction = R::select_less(u, V(std::numeric_limits<float>::infinity()), correction, V(0.0f));
    return log(u) + correction;
  }

  /// Hyperbolic tangent, from expm1(-2|x|): no cancellation near 0, no overflow.
  TKL_FN static V tanh(V x) {
    const V e = expm1(V(-2.0f) * R::abs(x));
    return R::copy_sign(R::div(R::abs(e), e + V(2.0f)), x);
  }

  /// 1 / (1 + e^-x), from e^-|x|: both tails keep their relative accuracy.
  TKL_FN static V sigmoid(V x) {
    const V e = exp_nonpositive(-R::abs(x));
    const V upper = R::div(V(1.0f), V(1.0f) + e);
    return R::select_less(x, V(0.0f), e * upper, upper);
  }

  /// Error function: an odd polynomial up to 0.92, then 1 - exp(-g(|x|)) with g = -log(erfc), which is 1 in f32 from 4
  /// on.
  TKL_FN static V erf(V x) {
    const V a = R::abs(x);
    const V t = a * a;
    V p = V(-5.990853533e-04f);
    p = R::fma(p, t, V(4.993180279e-03f));
    p = R::fma(p, t, V(-2.676661685e-02f));
    p = R::fma(p, t, V(1.128181592e-01f));
    p = R::fma(p, t, V(-3.761249483e-01f));
    p = R::fma(p, t, V(1.283791512e-01f));
    const V inner = R::fma(a, p, a);
    const V b = R::at_most(a, V(4.0f));
    V g = V(-1.957206841e-04f);
    g = R::fma(g, b, V(3.041093005e-03f));
    g = R::fma(g, b, V(-2.221845090e-02f));
    g = R::fma(g, b, V(1.039140224e-01f));
    g = R::fma(g, b, V(6.372022629e-01f));
    g = R::fma(g, b, V(1.127663732e+00f));
    g = R::fma(g, b, V(1.985549607e-04f));
    const V outer = V(1.0f) - exp_nonpositive(-g);
    return R::copy_sign(R::select_less(a, V(0.921875f), inner, outer), x);
  }

 private:
  static constexpr float shifter = 12582912.0f;               // 1.5 * 2^23: adding it rounds to a whole number
  static constexpr float ln2_head = 0.693359375f;             // few bits: n * ln2_head is exact
  static constexpr float ln2_rest = 2.12194440054690583e-4f;  // ln2_head - log(2)

  /// x = n log(2) + r with n whole, t = n + shifter.
  struct reduced {
    V t, n, r;
  };
  TKL_FN static reduced reduce(V x) {
    const V t = R::fma(x, V(1.44269504088896341f), V(shifter));
    const V n = t - V(shifter);
    return {t, n, R::fma(n, V(ln2_rest), R::fma(n, V(-ln2_head), x))};
  }

  /// e^r for |r| <= log(2) / 2: 1 + r + r^2 q(r).
  TKL_FN static V exp_of_rest(V r) {
    V q = V(1.381446724e-03f);
    q = R::fma(q, r, V(8.368780836e-03f));
    q = R::fma(q, r, V(4.166839272e-02f));
    q = R::fma(q, r, V(1.666651964e-01f));
    q = R::fma(q, r, V(4.999999404e-01f));
    return R::fma(r * r, q, r) + V(1.0f);
  }

  /// e^r - 1 for |r| <= log(2) / 2: r + r^2 q(r).
  TKL_FN static V expm1_of_rest(V r) {
    V q = V(1.991430181e-04f);
    q = R::fma(q, r, V(1.394110266e-03f));
    q = R::fma(q, r, V(8.333273232e-03f));
    q = R::fma(q, r, V(4.166635498e-02f));
    q = R::fma(q, r, V(1.666666716e-01f));
    q = R::fma(q, r, V(5.000000000e-01f));
    return R::fma(r * r, q, r);
  }
};

TKL_ISA_END
}  // namespace tkl
