// SPDX-License-Identifier: Apache-2.0
// 64-bit Arm with NEON (Advanced SIMD), four lanes; and four cores of it, which differ in numbers and in nothing else.
//
// Sources: [1] Arm, "Cortex-A53 MPCore Processor Technical Reference Manual" (DDI 0500): Armv8.0; first-level data
// cache of 8 to 64 KiB, shared second level of 128 KiB to 2 MiB. [2] "Cortex-A55 Core Technical Reference Manual"
// (100442): Armv8.2 with half precision and dot product; 16 to 64 KiB, second level of up to 256 KiB per core, a shared
// third level. [3] "Cortex-A72 MPCore Processor Technical Reference Manual" (100095): Armv8.0; 32 KiB, shared second
// level of 512 KiB to 4 MiB. [4] "Cortex-A76 Core Technical Reference Manual" (100798): Armv8.2 with half precision and
// dot product; 64 KiB, second level of 128 to 512 KiB per core, a shared third level. [5] FMLA on 128 bits, as Arm's
// optimisation guides of the Cortex-A55 (EPM128372), Cortex-A72 (UAN 0016) and Neoverse N1 are cited; their tables were
// not at hand. LLVM 19's models agree on the Neoverse N1 (2 per cycle, latency 4), and have 2 per cycle for the A55 and
// a latency of 10 for the A72; the Cortex-A53, for which Arm publishes no table, has that model's figures. None of them
// has I8MM or BF16. midr_part is the part number in the main identification register.
// Where a manual leaves a size to the maker of a chip, one within its range stands here; tools/describe_device.py
// writes those of a machine. A last level that is absent counts as the one before it.
#pragma once

#include <string_view>
#include <tkl/arch/core.hpp>

namespace tkl::arch {

/// What every 64-bit Arm has.
struct neon {
  static constexpr std::string_view name = "neon";
  using level = neon;
  static constexpr int registers = 32;
  static constexpr int width_f32 = 4;
  static constexpr multiply_add_atom multiply_add{.instruction = "fmla", .per_cycle = 2, .latency = 4};
  static constexpr core_features features{};
  static constexpr std::string_view scheduling_model = "neoverse-n1";
  static constexpr cache_sizes cache{32 * 1024, 256 * 1024, 2 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr tile_work work = work_of(gemm.mr, gemm.nr);
  static constexpr conv_schedule conv = conv_from(gemm);
  static constexpr attention_schedule attention{.mr = 8, .nr = 3, .queries = 12, .keys = 96};
  static constexpr int depthwise_tile = 8;  // as many sums as two multiply-adds of latency 4 keep under way
};

/// In order, Armv8.0. [1]
struct cortex_a53 : neon {
  static constexpr std::string_view name = "cortex_a53";
  static constexpr int midr_part = 0xd03;
  static constexpr multiply_add_atom multiply_add{.instruction = "fmla", .per_cycle = 1, .latency = 10};
  static constexpr std::string_view scheduling_model = "cortex-a53";
  static constexpr cache_sizes cache{32 * 1024, 512 * 1024, 512 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};

/// In order, Armv8.2. [2] [5]
struct cortex_a55 : neon {
  static constexpr std::string_view name = "cortex_a55";
  static constexpr int midr_part = 0xd05;
  static constexpr multiply_add_atom multiply_add{.instruction = "fmla", .per_cycle = 1, .latency = 4};
  static constexpr core_features features{.fp16 = true, .dot_product = true};
  static constexpr std::string_view scheduling_model = "cortex-a55";
  static constexpr cache_sizes cache{32 * 1024, 128 * 1024, 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};

/// Out of order, Armv8.0. [3] [5]
struct cortex_a72 : neon {
  static constexpr std::string_view name = "cortex_a72";
  static constexpr int midr_part = 0xd08;
  static constexpr multiply_add_atom multiply_add{.instruction = "fmla", .per_cycle = 1, .latency = 7};
  static constexpr std::string_view scheduling_model = "cortex-a72";
  static constexpr cache_sizes cache{32 * 1024, 1024 * 1024, 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};

/// Out of order, Armv8.2; the Neoverse N1 is this core in servers, and LLVM's model of it the better one. [4] [5]
struct cortex_a76 : neon {
  static constexpr std::string_view name = "cortex_a76";
  static constexpr int midr_part = 0xd0b;
  static constexpr core_features features{.fp16 = true, .dot_product = true};
  static constexpr cache_sizes cache{64 * 1024, 512 * 1024, 2 * 1024 * 1024};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};

static_assert(schedules_fit<neon>() && schedules_fit<cortex_a53>() && schedules_fit<cortex_a55>() &&
              schedules_fit<cortex_a72>() && schedules_fit<cortex_a76>());

}  // namespace tkl::arch
