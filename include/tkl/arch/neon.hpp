// SPDX-License-Identifier: Apache-2.0
// 64-bit Arm with NEON (Advanced SIMD), four lanes.
#pragma once

#include <string_view>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl::arch {

struct neon {
  static constexpr std::string_view name = "neon";
  static constexpr int registers = 32;
  static constexpr int width_f32 = 4;
  static constexpr bool has_fma = true;
  static constexpr cache_sizes cache{32 * 1024, 256 * 1024, 2 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};
static_assert(fits_registers<neon::gemm, neon> && fits_l1<neon::gemm, neon> && fits_l2<neon::gemm, neon>);
static_assert(hides_latency<neon::gemm>);

}  // namespace tkl::arch
