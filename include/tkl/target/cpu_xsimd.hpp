// SPDX-License-Identifier: Apache-2.0
// xsimd, and no more of the compiler's intrinsics than it needs.
//
// <immintrin.h> of g++ 12 declares all of AVX-512 whatever the unit's flags allow, and takes almost half of what xsimd
// costs to compile. A unit without AVX-512 reads the headers up to AVX2 alone. They insist on being read from
// <immintrin.h>, whose include guard stands for it here; it is lifted again, so that a program that includes
// <immintrin.h> itself, before or after, has all of it.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && defined(__AVX2__) && !defined(__AVX512F__) && \
    !defined(_IMMINTRIN_H_INCLUDED)
#  define TKL_STANDS_FOR_IMMINTRIN
#  define _IMMINTRIN_H_INCLUDED
// Each needs what stands before it.
// clang-format off
#  include <smmintrin.h>
#  include <avxintrin.h>
#  include <avx2intrin.h>
#  include <fmaintrin.h>
#  include <f16cintrin.h>
// clang-format on
#endif
#include <xsimd/xsimd.hpp>
#if defined(TKL_STANDS_FOR_IMMINTRIN)
#  undef _IMMINTRIN_H_INCLUDED
#  undef TKL_STANDS_FOR_IMMINTRIN
#endif
