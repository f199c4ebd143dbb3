// SPDX-License-Identifier: Apache-2.0
// Register operations that every instruction set has, written over xsimd; the files beside it replace what their
// instruction set does better.
#pragma once

#include <cstdint>
#include <cstring>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/target/convert.hpp>
#include <tkl/target/cpu_xsimd.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// Loads, stores, selections and bit operations on batches of f32 of the xsimd architecture A.
///
/// Functions named *_first touch n elements of memory only (0 <= n <= width); loaded lanes from n on are 0.
template <class A>
struct generic_registers {
  using value = xsimd::batch<float, A>;
  using integers = xsimd::batch<std::int32_t, A>;
  static constexpr int width = static_cast<int>(value::size);

  /// Registers that algo/ordered_products.hpp may fill; 0: the compiler orders the products of a register tile.
  static constexpr int ordered_registers = 0;
  /// One factor of several multiply-adds, as they take it.
  using factor = value;

  // Memory.
  TKL_FN static value load(const float* p) { return value::load_unaligned(p); }
  template <class T>
  TKL_FN static value load(const T* p) {
    alignas(64) float lanes[width];
    for (int i = 0; i < width; ++i) lanes[i] = widen<float>(p[i]);
    return value::load_aligned(lanes);
  }
  TKL_FN static void store(float* p, value v) { v.store_unaligned(p); }
  template <class T>
  TKL_FN static void store(T* p, value v) {
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    for (int i = 0; i < width; ++i) p[i] = narrow<T>(lanes[i]);
  }
  TKL_FN static value load_first(const float* p, int n) {
    alignas(64) float lanes[width]{};
    for (int i = 0; i < n; ++i) lanes[i] = p[i];
    return value::load_aligned(lanes);
  }
  TKL_FN static void store_first(float* p, value v, int n) {
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    for (int i = 0; i < n; ++i) p[i] = lanes[i];
  }
  /// a0 b0 c0 a1 b1 c1 ...
  TKL_FN static void store_triples(float* p, value a, value b, value c) {
    alignas(64) float lanes[3][width];
    a.store_aligned(lanes[0]);
    b.store_aligned(lanes[1]);
    c.store_aligned(lanes[2]);
    for (int i = 0; i < width; ++i)
      for (int k = 0; k < 3; ++k) p[3 * i + k] = lanes[k][i];
  }

  // Arithmetic.
  TKL_FN static value fma(value a, value b, value c) { return a * b + c; }
  TKL_FN static value div(value a, value b) { return a / b; }
  TKL_FN static value floor(value a) {
    const value whole = round(a);
    return whole - xsimd::select(a < whole, value(1.0f), value(0.0f));
  }
  /// To nearest, ties to even: adding 2^23 leaves no fraction bits. Larger numbers are whole already.
  TKL_FN static value round(value a) {
    const value sign = a & value(-0.0f);
    const value magnitude = a ^ sign;
    const value whole = (magnitude + value(8388608.0f)) - value(8388608.0f);
    return xsimd::select(magnitude < value(8388608.0f), whole | sign, a);
  }

  TKL_FN static value abs(value a) { return a & from_bits(integers(0x7fffffff)); }
  TKL_FN static value sqrt(value a) { return xsimd::sqrt(a); }
  /// |magnitude| is taken as it is: its sign bit must be 0.
  TKL_FN static value copy_sign(value magnitude, value sign) { return magnitude | (sign & value(-0.0f)); }
  TKL_FN static value select_less(value a, value b, value x, value y) { return xsimd::select(a < b, x, y); }
  TKL_FN static value select_equal(value a, value b, value x, value y) { return xsimd::select(a == b, x, y); }

  // Over all lanes, in the order of a binary tree: lane i with lane i + width / 2, then the lower half likewise.
  TKL_FN static float sum(value v) {
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    for (int half = width / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }
  /// NaN if a lane is NaN.
  TKL_FN static float largest(value v) {
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    float best = lanes[0];
    for (int i = 1; i < width; ++i) best = best != best || best > lanes[i] ? best : lanes[i];
    return best;
  }

  // Bits.
  TKL_FN static integers bits(value a) { return xsimd::bitwise_cast<integers>(a); }
  TKL_FN static value from_bits(integers a) { return xsimd::bitwise_cast<value>(a); }
  /// 2^(n + k), given t = n + 1.5 * 2^23 with n whole: n stands in the low bits of t.
  TKL_FN static value power_of_two(value t, int k) { return from_bits((bits(t) << 23) + integers((127 + k) << 23)); }
  /// x = m * 2^e of a positive normal x, with m in [sqrt(1/2), sqrt(2)).
  TKL_FN static void split(value x, value& m, value& e) {
    const integers root_half(0x3f3504f3);
    const integers above = bits(x) - root_half;
    e = xsimd::to_float(above >> 23);
    m = from_bits((above & integers(0x7fffff)) + root_half);
  }
};

/// Register operations of the xsimd architecture A: generic_registers with what A does better.
template <class A>
struct registers;

TKL_ISA_END
}  // namespace tkl
