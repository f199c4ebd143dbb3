// SPDX-License-Identifier: Apache-2.0
// Register operations of 64-bit Arm's Advanced SIMD.
#pragma once

#include <tkl/arch/neon.hpp>
#include <tkl/target/cpu_generic.hpp>

#if XSIMD_WITH_NEON64

namespace tkl {
TKL_ISA_BEGIN

template <>
struct registers<xsimd::neon64> : generic_registers<xsimd::neon64> {
  using base = generic_registers<xsimd::neon64>;
  using base::load;
  using base::store;

  TKL_FN static value load(const std::int32_t* p) { return vcvtq_f32_s32(vld1q_s32(p)); }
  TKL_FN static value load(const std::uint8_t* p) {
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(load_bytes(p))))));
  }
  TKL_FN static value load(const std::int8_t* p) {
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u32(load_bytes(p))))));
  }
  TKL_FN static value load(const bfloat16* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(p)), 16));
  }
  TKL_FN static value load(const half* p) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(p))));
  }
  TKL_FN static void store(half* p, value v) {
    vst1_u16(reinterpret_cast<std::uint16_t*>(p), vreinterpret_u16_f16(vcvt_f16_f32(v)));
  }
  TKL_FN static void store(bfloat16* p, value v) {
    const uint32x4_t b = vreinterpretq_u32_f32(v);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(b, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(b, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    const uint32x4_t quiet = vorrq_u32(b, vdupq_n_u32(0x400000));
    vst1_u16(reinterpret_cast<std::uint16_t*>(p), vshrn_n_u32(vbslq_u32(vceqq_f32(v, v), rounded, quiet), 16));
  }
  /// fcvtns rounds to nearest even, saturates, and turns NaN into 0.
  TKL_FN static void store(std::int32_t* p, value v) { vst1q_s32(p, vcvtnq_s32_f32(v)); }

  TKL_FN static value load_first(const float* p, int n) {
    float32x4_t v = vdupq_n_f32(0.0f);
    if (n >= 4) return vld1q_f32(p);
    if (n >= 2) v = vcombine_f32(vld1_f32(p), vget_high_f32(v));
    if (n == 1) v = vld1q_lane_f32(p, v, 0);
    if (n == 3) v = vld1q_lane_f32(p + 2, v, 2);
    return v;
  }
  TKL_FN static void store_first(float* p, value v, int n) {
    if (n >= 4) return vst1q_f32(p, v);
    if (n >= 2) vst1_f32(p, vget_low_f32(v));
    if (n == 1) vst1q_lane_f32(p, v, 0);
    if (n == 3) vst1q_lane_f32(p + 2, v, 2);
  }

  TKL_FN static value fma(value a, value b, value c) { return vfmaq_f32(c, a, b); }
  static constexpr int ordered_registers = arch::neon::registers;
  /// A multiply-add takes it from the first lane of a register: the number alone, without copies.
  using factor = float;
  /// d += x * b. Volatile: no compiler moves it past another, nor g++ a load past it.
  TKL_FN static void mac_in_order(value& d, factor x, value b) {
    asm volatile("fmla %0.4s, %1.4s, %2.s[0]" : "+w"(d.data) : "w"(b.data), "w"(x));
  }
  // xsimd's quotients and roots are those of 32-bit Arm: Newton steps from an estimate.
  TKL_FN static value div(value a, value b) { return vdivq_f32(a, b); }
  TKL_FN static value sqrt(value a) { return vsqrtq_f32(a); }
  TKL_FN static value floor(value a) { return vrndmq_f32(a); }
  TKL_FN static value round(value a) { return vrndnq_f32(a); }

  // fmax and fmin propagate NaN.
  TKL_FN static value(max)(value a, value b) { return vmaxq_f32(a, b); }
  TKL_FN static value(min)(value a, value b) { return vminq_f32(a, b); }
  TKL_FN static value at_least(value a, value bound) { return vmaxq_f32(a, bound); }
  TKL_FN static value at_most(value a, value bound) { return vminq_f32(a, bound); }

  TKL_FN static float sum(value v) {
    const float32x2_t pairs = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vget_lane_f32(pairs, 0) + vget_lane_f32(pairs, 1);
  }
  TKL_FN static float largest(value v) { return vmaxvq_f32(v); }

 private:
  TKL_FN static uint32x2_t load_bytes(const void* p) {
    std::uint32_t four;
    std::memcpy(&four, p, 4);
    return vdup_n_u32(four);
  }
};

TKL_ISA_END
}  // namespace tkl

#endif
