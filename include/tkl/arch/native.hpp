// SPDX-License-Identifier: Apache-2.0
// The architecture that this translation unit's compiler flags allow. The tags themselves are complete in every unit.
//
// TKL_CORE may name a core of that level, cortex_a55 for example, whose schedules are then the default: for programs
// that are built for one machine, and for units of tkl_add_model.
#pragma once

#include <tkl/arch/avx2.hpp>
#include <tkl/arch/avx512.hpp>
#include <tkl/arch/base.hpp>
#include <tkl/arch/neon.hpp>
#include <tkl/config.hpp>
#include <type_traits>

namespace tkl::arch {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using native_level = avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using native_level = avx2;
#elif defined(__aarch64__) && defined(__ARM_NEON)
using native_level = neon;
#else
using native_level = base;
#endif

#if defined(TKL_CORE)
using native = TKL_CORE;
static_assert(std::is_same_v<native::level, native_level>, "TKL_CORE names a core of another level than the unit's");
#else
using native = native_level;
#endif

}  // namespace tkl::arch
