// SPDX-License-Identifier: Apache-2.0
// Register operations of AVX2 with FMA, and F16C where the compiler's flags have it.
#pragma once

#include <tkl/target/cpu_generic.hpp>
#include <tkl/target/cpu_sse2.hpp>

#if XSIMD_WITH_FMA3_AVX2

namespace tkl {
TKL_ISA_BEGIN

/// n ones, then zeros, read from the middle: the mask of the first n lanes.
alignas(64) inline constexpr std::int32_t first_lanes_avx2[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                                  0,  0,  0,  0,  0,  0,  0,  0};

template <>
struct registers<xsimd::fma3<xsimd::avx2>> : generic_registers<xsimd::fma3<xsimd::avx2>> {
  using base = generic_registers<xsimd::fma3<xsimd::avx2>>;
  using base::load;
  using base::store;

  TKL_FN static value load(const std::int32_t* p) {
    return _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  TKL_FN static value load(const std::uint8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  TKL_FN static value load(const std::int8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  TKL_FN static value load(const bfloat16* p) {
    const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
  }
#  if defined(__F16C__)
  TKL_FN static value load(const half* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  TKL_FN static void store(half* p, value v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  }
#  endif
  TKL_FN static void store(bfloat16* p, value v) {
    const __m256i b = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(b, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(b, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    store_words(p, _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16));
  }
  TKL_FN static void store(std::int32_t* p, value v) {
    // cvtps gives the most negative number for what it cannot hold; above the range all bits flip to the most positive.
    const __m256i above = _mm256_castps_si256(_mm256_cmp_ps(v, _mm256_set1_ps(2147483648.0f), _CMP_GE_OQ));
    const __m256i ordered = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_ORD_Q));
    const __m256i whole = _mm256_xor_si256(_mm256_cvtps_epi32(v), above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_and_si256(whole, ordered));
  }
  TKL_FN static void store(std::uint8_t* p, value v) {
    const __m256i words = whole_between(v, 0.0f, 255.0f);
    const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(packed, packed));
  }
  TKL_FN static void store(std::int8_t* p, value v) {
    const __m256i words = whole_between(v, -128.0f, 127.0f);
    const __m128i packed = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(packed, packed));
  }

  TKL_FN static value load_first(const float* p, int n) { return _mm256_maskload_ps(p, first(n)); }
  TKL_FN static void store_first(float* p, value v, int n) { _mm256_maskstore_ps(p, first(n), v); }
  TKL_FN static void store_triples(float* p, value a, value b, value c) {
    // Lane i of `a` is wanted in lane 3i mod 8 of one of the results, and those of b and c beside it.
    const __m256 x = _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    const __m256 y = _mm256_permutevar8x32_ps(b, _mm256_setr_epi32(5, 0, 3, 6, 1, 4, 7, 2));
    const __m256 z = _mm256_permutevar8x32_ps(c, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
    _mm256_storeu_ps(p, _mm256_blend_ps(_mm256_blend_ps(x, y, 0b10010010), z, 0b00100100));
    _mm256_storeu_ps(p + 8, _mm256_blend_ps(_mm256_blend_ps(x, y, 0b00100100), z, 0b01001001));
    _mm256_storeu_ps(p + 16, _mm256_blend_ps(_mm256_blend_ps(x, y, 0b01001001), z, 0b10010010));
  }

  TKL_FN static value fma(value a, value b, value c) { return _mm256_fmadd_ps(a, b, c); }
  TKL_FN static value floor(value a) { return _mm256_floor_ps(a); }
  TKL_FN static value round(value a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

  // maxps and minps return their second operand when either is NaN: that loses a NaN of the first only.
  TKL_FN static value(max)(value a, value b) {
    return _mm256_blendv_ps(_mm256_max_ps(a, b), a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
  }
  TKL_FN static value(min)(value a, value b) {
    return _mm256_blendv_ps(_mm256_min_ps(a, b), a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
  }
  TKL_FN static value at_least(value a, value bound) { return _mm256_max_ps(bound, a); }
  TKL_FN static value at_most(value a, value bound) { return _mm256_min_ps(bound, a); }

  TKL_FN static float sum(value v) {
    return sum_of_four(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
  }
  TKL_FN static float largest(value v) {
    return largest_of_four(max_of_four(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
  }

 private:
  TKL_FN static __m256i first(int n) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first_lanes_avx2 + 8 - n));
  }
  /// Low 16 bits of each lane, 8 of them.
  TKL_FN static void store_words(void* p, __m256i words) {
    const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(static_cast<__m128i*>(p), packed);
  }
  TKL_FN static __m256i whole_between(value v, float low, float high) {
    const __m256i whole = _mm256_cvtps_epi32(at_most(at_least(v, value(low)), value(high)));
    return _mm256_and_si256(whole, _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_ORD_Q)));
  }
};

TKL_ISA_END
}  // namespace tkl

#endif
