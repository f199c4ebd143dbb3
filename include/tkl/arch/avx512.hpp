// SPDX-License-Identifier: Apache-2.0
// AVX-512 F, CD, BW, DQ, VL: Intel Skylake-SP, AMD Zen 4 and later.
//
// Multiply-add (Intel Intrinsics Guide, _mm512_fmadd_ps, Skylake): two per cycle, latency 4. VNNI came with Cascade
// Lake, BF16 with Cooper Lake (Intel, "Architecture Instruction Set Extensions Programming Reference"): the level asks
// for neither.
#pragma once

#include <string_view>
#include <tkl/arch/core.hpp>

namespace tkl::arch {

struct avx512 {
  static constexpr std::string_view name = "avx512";
  using level = avx512;
  static constexpr int registers = 32;
  static constexpr int width_f32 = 16;
  static constexpr multiply_add_atom multiply_add{.instruction = "vfmadd", .per_cycle = 2, .latency = 4};
  static constexpr core_features features{.bf16 = false, .dot_product = false};
  static constexpr std::string_view scheduling_model{};
  static constexpr cache_sizes cache{48 * 1024, 1024 * 1024, 16 * 1024 * 1024};
  // 8, 12 and 14 rows are equally fast; from 12 on g++ 12 runs out of integer registers for the row pointers.
  static constexpr gemm_schedule gemm = gemm_blocks(8, 2, width_f32, cache);
  static constexpr tile_work work = work_of(gemm.mr, gemm.nr);
  static constexpr conv_schedule conv = conv_from(gemm);
  static constexpr attention_schedule attention{.mr = 12, .nr = 2, .queries = 6, .keys = 96};
  static constexpr int depthwise_tile = 8;  // as many chains of sums as two multiply-adds per cycle with latency 4 need
};
static_assert(schedules_fit<avx512>());

}  // namespace tkl::arch
