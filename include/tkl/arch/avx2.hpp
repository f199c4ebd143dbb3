// SPDX-License-Identifier: Apache-2.0
// AVX2 with FMA and F16C: Intel Haswell, AMD Zen and later.
//
// Multiply-add (Intel Intrinsics Guide, _mm256_fmadd_ps, Skylake): two per cycle, latency 4.
#pragma once

#include <string_view>
#include <tkl/arch/core.hpp>

namespace tkl::arch {

struct avx2 {
  static constexpr std::string_view name = "avx2";
  using level = avx2;
  static constexpr int registers = 16;
  static constexpr int width_f32 = 8;
  static constexpr multiply_add_atom multiply_add{.instruction = "vfmadd", .per_cycle = 2, .latency = 4};
  static constexpr core_features features{};
  static constexpr std::string_view scheduling_model{};
  static constexpr cache_sizes cache{32 * 1024, 512 * 1024, 16 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(6, 2, width_f32, cache);
  static constexpr tile_work work = work_of(gemm.mr, gemm.nr);
  static constexpr conv_schedule conv = conv_from(gemm);
  static constexpr attention_schedule attention{.mr = 6, .nr = 2, .queries = 6, .keys = 96};
  // As many chains of sums as two multiply-adds per cycle with latency 4 need. On Zen 5, layers of 5 to 14 columns take
  // up to a quarter less time than with four, wide ones the same; rows of 16, two tiles that both touch a border, took
  // a quarter more on Zen 3.
  static constexpr int depthwise_tile = 8;
};
static_assert(schedules_fit<avx2>());

}  // namespace tkl::arch
