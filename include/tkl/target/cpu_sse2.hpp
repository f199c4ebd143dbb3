// SPDX-License-Identifier: Apache-2.0
// Register operations of SSE2, which every 64-bit x86 has.
#pragma once

#include <tkl/target/cpu_generic.hpp>

#if XSIMD_WITH_SSE2

namespace tkl {
TKL_ISA_BEGIN

/// Sum of four lanes: (0 + 2) + (1 + 3).
TKL_FN float sum_of_four(__m128 v) {
  const __m128 pairs = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}
/// maxps returns its second operand when either is NaN: that loses a NaN of the first only.
TKL_FN __m128 max_of_four(__m128 a, __m128 b) {
  const __m128 nan = _mm_cmpunord_ps(a, a);
  return _mm_or_ps(_mm_and_ps(nan, a), _mm_andnot_ps(nan, _mm_max_ps(a, b)));
}
/// Largest of four lanes, NaN if one is.
TKL_FN float largest_of_four(__m128 v) {
  const __m128 pairs = max_of_four(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(max_of_four(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}

template <>
struct registers<xsimd::sse2> : generic_registers<xsimd::sse2> {
  using base = generic_registers<xsimd::sse2>;
  using base::load;
  using base::store;

  TKL_FN static value load(const std::int32_t* p) {
    return _mm_cvtepi32_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  TKL_FN static value load(const std::uint8_t* p) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i words = _mm_unpacklo_epi8(load_bytes(p), zero);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero));
  }
  TKL_FN static value load(const std::int8_t* p) {
    const __m128i bytes = load_bytes(p);
    const __m128i doubled = _mm_unpacklo_epi8(bytes, bytes);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(doubled, doubled), 24));
  }
  TKL_FN static value load(const bfloat16* p) {
    const __m128i words = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), words));
  }

  TKL_FN static value load_first(const float* p, int n) {
    switch (n) {
      case 0:
        return _mm_setzero_ps();
      case 1:
        return _mm_load_ss(p);
      case 2:
        return load_two(p);
      case 3:
        return _mm_movelh_ps(load_two(p), _mm_load_ss(p + 2));
      default:
        return _mm_loadu_ps(p);
    }
  }
  TKL_FN static void store_first(float* p, value v, int n) {
    switch (n) {
      case 0:
        return;
      case 1:
        return _mm_store_ss(p, v);
      case 2:
        return _mm_storel_pi(reinterpret_cast<__m64*>(p), v);
      case 3:
        _mm_storel_pi(reinterpret_cast<__m64*>(p), v);
        return _mm_store_ss(p + 2, _mm_movehl_ps(v, v));
      default:
        return _mm_storeu_ps(p, v);
    }
  }

  // maxps and minps return their second operand when either is NaN: that loses a NaN of the first only.
  TKL_FN static value(max)(value a, value b) { return xsimd::select(a != a, a, value(_mm_max_ps(a, b))); }
  TKL_FN static value(min)(value a, value b) { return xsimd::select(a != a, a, value(_mm_min_ps(a, b))); }
  TKL_FN static value at_least(value a, value bound) { return _mm_max_ps(bound, a); }
  TKL_FN static value at_most(value a, value bound) { return _mm_min_ps(bound, a); }

  TKL_FN static float sum(value v) { return sum_of_four(v); }
  TKL_FN static float largest(value v) { return largest_of_four(v); }

 private:
  TKL_FN static __m128 load_two(const float* p) {
    double both;  // _mm_load_sd would read a double, which asks for its alignment
    std::memcpy(&both, p, 8);
    return _mm_castpd_ps(_mm_set_sd(both));
  }
  TKL_FN static __m128i load_bytes(const void* p) {
    std::int32_t four;
    std::memcpy(&four, p, 4);
    return _mm_cvtsi32_si128(four);
  }
};

TKL_ISA_END
}  // namespace tkl

#endif
