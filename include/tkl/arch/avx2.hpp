// SPDX-License-Identifier: Apache-2.0
// AVX2 with FMA and F16C: Intel Haswell, AMD Zen and later.
#pragma once

#include <string_view>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl::arch {

struct avx2 {
  static constexpr std::string_view name = "avx2";
  static constexpr int registers = 16;
  static constexpr int width_f32 = 8;
  static constexpr bool has_fma = true;
  static constexpr cache_sizes cache{32 * 1024, 512 * 1024, 16 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(6, 2, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};
static_assert(fits_registers<avx2::gemm, avx2> && fits_l1<avx2::gemm, avx2> && fits_l2<avx2::gemm, avx2>);
static_assert(hides_latency<avx2::gemm>);

}  // namespace tkl::arch
