// SPDX-License-Identifier: Apache-2.0
// The architecture that this translation unit's compiler flags allow. The tags themselves are complete in every unit.
#pragma once

#include <tkl/arch/avx2.hpp>
#include <tkl/arch/avx512.hpp>
#include <tkl/arch/base.hpp>
#include <tkl/arch/neon.hpp>
#include <tkl/config.hpp>

namespace tkl::arch {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using native = avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using native = avx2;
#elif defined(__aarch64__) && defined(__ARM_NEON)
using native = neon;
#else
using native = base;
#endif

}  // namespace tkl::arch
