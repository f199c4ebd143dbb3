// SPDX-License-Identifier: Apache-2.0
// Numbers that carry a bound of the error of what stands for them on a device, and a vocabulary that propagates it: an
// expression evaluated with them says how far a kernel's result may be from the exact one.
//
// inexact<true> is half precision: each operation rounds to f16 (2^-11 of its result, 2^-25 where that is subnormal),
// each number as it is loaded. inexact<false> passes on errors and adds none; where a choice is uncertain, the bound
// holds for either outcome. A bound that is not finite says that there is none: division by what may be 0, overflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/target/convert.hpp>
#include <tkl/target/reference.hpp>

namespace tkl_test {

template <bool Half>
struct inexact {
  double v = 0;
  double e = 0;

  /// The result of one operation.
  static inexact rounded(double v, double e) {
    if (!Half) return {v, e};
    const double size = std::fabs(v) + e;
    return {v, size < 65504 ? e + 0x1p-11 * size + 0x1p-25 : std::numeric_limits<double>::infinity()};
  }
  /// A number as it is loaded; one beyond the range of f16 becomes infinite, and is larger than all others.
  static inexact loaded(double v) {
    if (!Half) return {v, 0};
    const auto stored = static_cast<double>(tkl::to_float(tkl::to_half(static_cast<float>(v))));
    return std::isinf(stored) ? inexact{stored, 0} : inexact{v, std::fabs(v - stored)};
  }
  /// A function that nowhere turns back.
  template <class F>
  static inexact monotonic(F f, const inexact& a, bool rounds = true) {
    const double y = f(a.v), below = std::fabs(y - f(a.v - a.e)), above = std::fabs(f(a.v + a.e) - y);
    const double e = below > above ? below : std::isnan(below) ? below : above;
    return rounds ? rounded(y, e) : inexact{y, e};
  }
  /// x or y, by the sign of a difference whose own error may turn it.
  static inexact chosen(bool first, bool certain, const inexact& x, const inexact& y) {
    const inexact &taken = first ? x : y, &other = first ? y : x;
    return {taken.v, certain ? taken.e : (std::max)(taken.e, std::fabs(x.v - y.v) + other.e)};
  }
};

template <bool H>
inexact<H> operator+(const inexact<H>& a, const inexact<H>& b) {
  return inexact<H>::rounded(a.v + b.v, a.e + b.e);
}
template <bool H>
inexact<H> operator-(const inexact<H>& a) {
  return {-a.v, a.e};
}
template <bool H>
inexact<H> operator-(const inexact<H>& a, const inexact<H>& b) {
  return a + -b;
}
template <bool H>
inexact<H> operator*(const inexact<H>& a, const inexact<H>& b) {
  return inexact<H>::rounded(a.v * b.v, std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + a.e * b.e);
}

/// Leaf policy of expr/eval.hpp: the operands at one place, and an accumulator that is known within some error.
template <bool Half>
struct inexact_leaf {
  using value = inexact<Half>;
  value v{};
  tkl::reference_machine::leaf exact{};

  value accumulator() const { return v; }
  value literal(float number) const { return value::loaded(static_cast<double>(number)); }
  value index(const tkl::index_node& n) const { return value::loaded(exact.index(n)); }
  template <class N>
  value scalar(const N& n) const {
    return value::loaded(exact.scalar(n));
  }
  template <class N>
  value channel(const N& n) const {
    return value::loaded(exact.channel(n));
  }
  template <class N>
  value element(const N& n) const {
    return value::loaded(exact.element(n));
  }
  template <class N>
  value row(const N& n) const {
    return value::loaded(exact.row(n));
  }
  template <class N>
  value strided(const N& n) const {
    return value::loaded(exact.strided(n));
  }
};

}  // namespace tkl_test

namespace tkl {

template <bool Half>
struct math<tkl_test::inexact<Half>> {
  using V = tkl_test::inexact<Half>;
  using exact = math<double>;
  static V constant(float v) { return V::loaded(static_cast<double>(v)); }
  static V fma(const V& a, const V& b, const V& c) { return a * b + c; }
  static V div(const V& a, const V& b) {
    const double q = a.v / b.v, least = std::fabs(b.v) - b.e;
    return V::rounded(q, least > 0 ? (a.e + std::fabs(q) * b.e) / least : std::numeric_limits<double>::infinity());
  }
  static V(max)(const V& a, const V& b) { return {(exact::max)(a.v, b.v), (std::max)(a.e, b.e)}; }
  static V(min)(const V& a, const V& b) { return {(exact::min)(a.v, b.v), (std::max)(a.e, b.e)}; }
  static V at_least(const V& a, const V& bound) { return (max)(a, bound); }
  static V at_most(const V& a, const V& bound) { return (min)(a, bound); }
  static V abs(const V& a) { return {std::fabs(a.v), a.e}; }
  static V sqrt(const V& a) {
    return V::monotonic([](double x) { return exact::sqrt(x); }, a);
  }
  static V floor(const V& a) {
    return V::monotonic([](double x) { return exact::floor(x); }, a, false);
  }
  static V round(const V& a) {
    return V::monotonic([](double x) { return exact::round(x); }, a, false);
  }
  static V select_less(const V& a, const V& b, const V& x, const V& y) {
    return V::chosen(a.v < b.v, certain(a, b), x, y);
  }
  static V select_equal(const V& a, const V& b, const V& x, const V& y) {
    return V::chosen(a.v == b.v, certain(a, b), x, y);
  }
  static V exp(const V& a) {
    return V::monotonic([](double x) { return exact::exp(x); }, a);
  }
  static V exp_nonpositive(const V& a) { return exp(a); }
  static V log(const V& a) {
    return V::monotonic([](double x) { return exact::log(x); }, a);
  }
  static V tanh(const V& a) {
    return V::monotonic([](double x) { return exact::tanh(x); }, a);
  }
  static V erf(const V& a) {
    return V::monotonic([](double x) { return exact::erf(x); }, a);
  }
  static V expm1(const V& a) {
    return V::monotonic([](double x) { return exact::expm1(x); }, a);
  }
  static V log1p(const V& a) {
    return V::monotonic([](double x) { return exact::log1p(x); }, a);
  }
  static V sigmoid(const V& a) {
    return V::monotonic([](double x) { return exact::sigmoid(x); }, a);
  }
  /// The exponent is a number without an error, or there is no bound.
  static V pow(const V& a, const V& b) {
    if (b.e > 0) return {exact::pow(a.v, b.v), std::numeric_limits<double>::infinity()};
    return V::monotonic([&](double x) { return exact::pow(x, b.v); }, a);
  }

 private:
  static bool certain(const V& a, const V& b) { return a.e + b.e == 0 || std::fabs(a.v - b.v) > a.e + b.e; }
};

}  // namespace tkl
