// SPDX-License-Identifier: Apache-2.0
// Register operations of AVX-512 F, BW, DQ and VL.
#pragma once

#include <tkl/target/cpu_avx2.hpp>
#include <tkl/target/cpu_generic.hpp>

#if XSIMD_WITH_AVX512BW

namespace tkl {
TKL_ISA_BEGIN

template <>
struct registers<xsimd::avx512bw> : generic_registers<xsimd::avx512bw> {
  using base = generic_registers<xsimd::avx512bw>;
  using base::load;
  using base::store;

  TKL_FN static value load(const std::int32_t* p) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(p)); }
  TKL_FN static value load(const std::uint8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  TKL_FN static value load(const std::int8_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  TKL_FN static value load(const bfloat16* p) {
    const __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(words, 16));
  }
  TKL_FN static value load(const half* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }

  TKL_FN static void store(half* p, value v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  }
  TKL_FN static void store(bfloat16* p, value v) {
    const __m512i b = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(b, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(b, _mm512_set1_epi32(0x400000));
    const __m512i chosen = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), quiet);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(chosen, 16)));
  }
  TKL_FN static void store(std::int32_t* p, value v) {
    const __mmask16 above = _mm512_cmp_ps_mask(v, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ);
    const __m512i whole = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v);
    _mm512_storeu_si512(p, _mm512_mask_mov_epi32(whole, above, _mm512_set1_epi32(0x7fffffff)));
  }
  TKL_FN static void store(std::uint8_t* p, value v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(whole_between(v, 0.0f, 255.0f)));
  }
  TKL_FN static void store(std::int8_t* p, value v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(whole_between(v, -128.0f, 127.0f)));
  }

  // Rows of 8 channels move as half registers: 64 bytes at an odd multiple of 32 touch two cache lines, whatever the
  // mask leaves of them.
  TKL_FN static value load_first(const float* p, int n) {
    if (n == 8) return _mm512_zextps256_ps512(_mm256_loadu_ps(p));
    return _mm512_maskz_loadu_ps(first(n), p);
  }
  TKL_FN static void store_first(float* p, value v, int n) {
    if (n == 8) return _mm256_storeu_ps(p, lower(v));
    _mm512_mask_storeu_ps(p, first(n), v);
  }

  TKL_FN static value fma(value a, value b, value c) { return _mm512_fmadd_ps(a, b, c); }
  TKL_FN static value floor(value a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF); }
  TKL_FN static value round(value a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT); }

  // maxps and minps return their second operand when either is NaN: that loses a NaN of the first only.
  TKL_FN static value(max)(value a, value b) {
    return _mm512_mask_max_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b);
  }
  TKL_FN static value(min)(value a, value b) {
    return _mm512_mask_min_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b);
  }
  TKL_FN static value at_least(value a, value bound) { return _mm512_max_ps(bound, a); }
  TKL_FN static value at_most(value a, value bound) { return _mm512_min_ps(bound, a); }

  TKL_FN static float sum(value v) { return half_registers::sum(_mm256_add_ps(lower(v), upper(v))); }
  TKL_FN static float largest(value v) { return half_registers::largest((half_registers::max)(lower(v), upper(v))); }

 private:
  using half_registers = registers<xsimd::fma3<xsimd::avx2>>;
  TKL_FN static __m256 lower(value v) { return _mm512_castps512_ps256(v); }
  TKL_FN static __m256 upper(value v) { return _mm512_extractf32x8_ps(v, 1); }
  TKL_FN static __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1u); }
  TKL_FN static __m512i whole_between(value v, float low, float high) {
    const __mmask16 ordered = _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q);
    return _mm512_maskz_cvtps_epi32(ordered, at_most(at_least(v, value(low)), value(high)));
  }
};

TKL_ISA_END
}  // namespace tkl

#endif
