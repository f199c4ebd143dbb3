// SPDX-License-Identifier: Apache-2.0
// AVX-512 F, CD, BW, DQ, VL: Intel Skylake-SP, AMD Zen 4 and later.
#pragma once

#include <string_view>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl::arch {

struct avx512 {
  static constexpr std::string_view name = "avx512";
  static constexpr int registers = 32;
  static constexpr int width_f32 = 16;
  static constexpr bool has_fma = true;
  static constexpr cache_sizes cache{48 * 1024, 1024 * 1024, 16 * 1024 * 1024};
  // 8, 12 and 14 rows are equally fast; from 12 on g++ 12 runs out of integer registers for the row pointers.
  static constexpr gemm_schedule gemm = gemm_blocks(8, 2, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};
static_assert(fits_registers<avx512::gemm, avx512> && fits_l1<avx512::gemm, avx512> && fits_l2<avx512::gemm, avx512>);
static_assert(hides_latency<avx512::gemm>);

}  // namespace tkl::arch
