// SPDX-License-Identifier: Apache-2.0
// The CPU machine: the registers of one instruction set as the values of an algorithm.
//
// Algorithms (algo/) are templates over a machine and name no instruction set. This header and those beside it with
// cpu_ in their names are the only ones that include xsimd.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/target/cpu_math.hpp>
#include <type_traits>

namespace tkl {

namespace arch {
struct base;
struct avx2;
struct avx512;
struct neon;
}  // namespace arch

/// The xsimd architecture of an architecture tag: that of its level, where the unit's compiler flags allow it.
template <class Arch>
struct xsimd_arch {
  static constexpr bool allowed = false;
  using type = xsimd::default_arch;  // so that cpu_machine's complaint is the only one
};
template <class Arch>
requires(!std::is_same_v<Arch, typename Arch::level>) struct xsimd_arch<Arch> : xsimd_arch<typename Arch::level> {
};
#if XSIMD_WITH_SSE2
template <>
struct xsimd_arch<arch::base> {
  static constexpr bool allowed = true;
  using type = xsimd::sse2;
};
#endif
#if XSIMD_WITH_FMA3_AVX2
template <>
struct xsimd_arch<arch::avx2> {
  static constexpr bool allowed = true;
  using type = xsimd::fma3<xsimd::avx2>;
};
#endif
#if XSIMD_WITH_AVX512BW
template <>
struct xsimd_arch<arch::avx512> {
  static constexpr bool allowed = true;
  using type = xsimd::avx512bw;
};
#endif
#if XSIMD_WITH_NEON64
template <>
struct xsimd_arch<arch::neon> {
  static constexpr bool allowed = true;
  using type = xsimd::neon64;
};
#endif

TKL_ISA_BEGIN

/// The machine of an architecture tag. T in loads and stores: float, half, bfloat16, std::uint8_t, std::int8_t,
/// std::int32_t; all widen to f32 and narrow from it as target/convert.hpp says. Pointers need no alignment.
template <class Arch>
struct cpu_machine {
  static_assert(xsimd_arch<Arch>::allowed,
                "the architecture, or the core that a device file describes, is of a level that this unit's compiler "
                "flags do not allow");
  using xsimd_type = typename xsimd_arch<Arch>::type;
  using value = xsimd::batch<float, xsimd_type>;
  using scalar = float;
  using R = registers<xsimd_type>;
  static constexpr int width = static_cast<int>(value::size);

  TKL_FN static value zero() { return value(0.0f); }
  TKL_FN static value constant(float number) { return value(number); }
  /// *p in every lane.
  template <class T>
  TKL_FN static value broadcast(const T* p) {
    return value(widen<float>(*p));
  }
  TKL_FN static value splat(float number) { return value(number); }

  /// `width` consecutive elements.
  template <class T>
  TKL_FN static value load(const T* p) {
    return R::load(p);
  }
  /// The first n elements (0 <= n <= width), 0 in the other lanes; memory from p + n on is not touched.
  template <class T>
  TKL_FN static value load(const T* p, int n) {
    if (n == width) return R::load(p);
    if constexpr (std::is_same_v<T, float>) {
      return R::load_first(p, n);
    } else {
      T lanes[width]{};
      for (int i = 0; i < n; ++i) lanes[i] = p[i];
      return R::load(lanes);
    }
  }
  /// n elements that lie `stride` elements apart, 0 in the other lanes.
  template <class T>
  TKL_FN static value load_strided(const T* p, std::int64_t stride, int n) {
    alignas(64) float lanes[width]{};
    for (int i = 0; i < n; ++i) lanes[i] = widen<float>(p[i * stride]);
    return value::load_aligned(lanes);
  }

  template <class T>
  TKL_FN static void store(T* p, value v) {
    R::store(p, v);
  }
  /// The first n lanes; memory from p + n on is not touched.
  template <class T>
  TKL_FN static void store(T* p, value v, int n) {
    if (n == width) return R::store(p, v);
    if constexpr (std::is_same_v<T, float>) {
      R::store_first(p, v, n);
    } else {
      T lanes[width];
      R::store(lanes, v);
      for (int i = 0; i < n; ++i) p[i] = lanes[i];
    }
  }
  template <class T>
  TKL_FN static void store_strided(T* p, std::int64_t stride, value v, int n) {
    T lanes[width];
    R::store(lanes, v);
    for (int i = 0; i < n; ++i) p[i * stride] = lanes[i];
  }
  /// Three vectors, lane by lane: a0 b0 c0 a1 b1 c1 ...
  TKL_FN static void store_triples(float* p, value a, value b, value c) { R::store_triples(p, a, b, c); }

  /// d += a * b, rounded once where the instruction set has it.
  TKL_FN static void mac(value& d, value a, value b) { d = R::fma(a, b, d); }
  /// As mac, in the register of d: left to itself, g++ overwrites a factor in some of many multiply-adds and then moves
  /// sums from register to register.
  TKL_FN static void mac_in_place(value& d, value a, value b) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
    if constexpr (width == 8) {
      asm("vfmadd231ps %2, %1, %0" : "+x"(d.data) : "x"(a.data), "x"(b.data));
      return;
    }
#endif
    mac(d, a, b);
  }
  /// For algo/ordered_products.hpp, where ordered_registers is not 0.
  static constexpr int ordered_registers = R::ordered_registers;
  using factor = typename R::factor;
  template <class T>
  TKL_FN static factor factor_of(const T* p) {
    return factor(widen<float>(*p));
  }
  TKL_FN static void mac_in_order(value& d, factor x, value b) {
    R::mac_in_order(d, x, b);
  }
  /// Keeps v in a register: where three vectors meet each broadcast, g++ reads them from memory in every multiply-add
  /// instead, and the loads become the limit. clang must not get this.
  TKL_FN static void in_register([[maybe_unused]] value& v) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    asm("" : "+x"(v.data));
#endif
  }
  /// Of the two that follow, for clang with 16 registers, each keeps a load where it is written. A vector is not
  /// fetched products ahead: clang 19 did that where it converts from f16, and put two vectors per product on the
  /// stack.
  TKL_FN static void not_sooner([[maybe_unused]] value& v) {
#if defined(__clang__) && defined(__FMA__)
    if constexpr (width == 8) asm("" : "+x"(v.data));
#endif
  }
  /// What p points to is not loaded before v is known: without that, a tile of 4 rows by 3 vectors, which fills the
  /// registers, was short of one for the next row's number.
  template <class T>
  TKL_FN static void load_after([[maybe_unused]] const T*& p, [[maybe_unused]] const value& v) {
#if defined(__clang__) && defined(__FMA__)
    if constexpr (width == 8) asm("" : "+r"(p) : "x"(v.data));
#endif
  }
  /// 0, 1, 2, ... in the lanes.
  TKL_FN static value iota() {
    alignas(64) static constexpr float lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return value::load_aligned(lanes);
  }
  /// v in the first n lanes, `fill` in the others.
  TKL_FN static value keep_first(value v, int n, value fill) {
    return R::select_less(iota(), value(static_cast<float>(n)), v, fill);
  }

  /// Over all lanes, always in the order of a binary tree: lane i with lane i + width / 2, then halves of that.
  TKL_FN static float reduce_add(value v) {
    return R::sum(v);
  }
  /// NaN if a lane is NaN.
  TKL_FN static float reduce_max(value v) {
    return R::largest(v);
  }
  TKL_FN static float reduce_min(value v) {
    return -reduce_max(-v);
  }
  TKL_FN static float lane(value v, int i) {
    alignas(64) float lanes[width];
    v.store_aligned(lanes);
    return lanes[i];
  }
  /// `width` numbers, one per lane.
  TKL_FN static value from_lanes(const float* lanes) {
    return value::load_unaligned(lanes);
  }

  /// Leaf policy of expr/eval.hpp: the values at `lanes` consecutive columns from `at` on. Lanes beyond are unspecified
  /// and nothing is read for them.
  struct leaf {
    using value = typename cpu_machine::value;
    value v;
    position at{};
    int lanes = width;

    TKL_FN value accumulator() const { return v; }
    TKL_FN value literal(float number) const { return value(number); }
    template <class T>
    TKL_FN value scalar(const scalar_node<T>& n) const {
      return cpu_machine::broadcast(n.data);
    }
    template <class T>
    TKL_FN value channel(const channel_node<T>& n) const {
      return cpu_machine::load(n.data + at.column, lanes);
    }
    template <class T>
    TKL_FN value element(const element_node<T>& n) const {
      return cpu_machine::load(n.data + outer_offset(n.stride) + at.column, lanes);
    }
    template <class T>
    TKL_FN value row(const row_node<T>& n) const {
      return cpu_machine::broadcast(n.data + outer_offset(n.stride));
    }
    template <class T>
    TKL_FN value strided(const strided_node<T>& n) const {
      const T* p = n.data + outer_offset(n.stride) + at.column * n.inner;
      if (n.inner == 1) return cpu_machine::load(p, lanes);
      if (n.inner == 0) return cpu_machine::broadcast(p);
      return cpu_machine::load_strided(p, n.inner, lanes);
    }
    TKL_FN value index(const index_node& n) const {
      if (n.axis < 3) return value(static_cast<float>(at.outer[n.axis]));
      return iota() + value(static_cast<float>(at.column));
    }

   private:
    TKL_FN std::int64_t outer_offset(const std::int64_t (&stride)[3]) const {
      return at.outer[0] * stride[0] + at.outer[1] * stride[1] + at.outer[2] * stride[2];
    }
  };
};

TKL_ISA_END
}  // namespace tkl
