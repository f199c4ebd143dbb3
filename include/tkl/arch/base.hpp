// SPDX-License-Identifier: Apache-2.0
// What every CPU of the target has: SSE2 on x86-64. A level to run on, not to be fast on.
//
// Multiplication (Intel Intrinsics Guide, _mm_mul_ps, Skylake): two per cycle, latency 4.
#pragma once

#include <string_view>
#include <tkl/arch/core.hpp>

namespace tkl::arch {

struct base {
  static constexpr std::string_view name = "base";
  using level = base;
  static constexpr int registers = 16;
  static constexpr int width_f32 = 4;
  static constexpr multiply_add_atom multiply_add{.instruction = "mulps", .per_cycle = 2, .latency = 4, .fused = false};
  static constexpr core_features features{};
  static constexpr std::string_view scheduling_model{};
  static constexpr cache_sizes cache{32 * 1024, 256 * 1024, 8 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(5, 2, width_f32, cache);  // the product needs a register of its own
  static constexpr tile_work work = work_of(gemm.mr, gemm.nr);
  static constexpr conv_schedule conv = conv_from(gemm);
  static constexpr attention_schedule attention{.mr = 6, .nr = 2, .queries = 12, .keys = 96};
  static constexpr int depthwise_tile = 4;
};
static_assert(schedules_fit<base>());

}  // namespace tkl::arch
