// SPDX-License-Identifier: Apache-2.0
// What every CPU of the target has: SSE2 on x86-64. A level to run on, not to be fast on.
#pragma once

#include <string_view>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl::arch {

struct base {
  static constexpr std::string_view name = "base";
  static constexpr int registers = 16;
  static constexpr int width_f32 = 4;
  static constexpr bool has_fma = false;
  static constexpr cache_sizes cache{32 * 1024, 256 * 1024, 8 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(5, 2, width_f32, cache);  // the product needs a register of its own
  static constexpr conv_schedule conv = conv_from(gemm);
};
static_assert(fits_registers<base::gemm, base> && fits_l1<base::gemm, base> && fits_l2<base::gemm, base>);

}  // namespace tkl::arch
