// SPDX-License-Identifier: Apache-2.0
// Arm Mali GPUs as data: three generations, and the default schedules that follow from their facts.
//
// Sources: [1] Arm, "Mali GPU Datasheet" (2021): warp width, threads per core, operations per clock and core (a fused
// multiply-add is two), size of the load/store cache. [2] Arm, "Mali GPU OpenCL Developer Guide" (101574): vectors of
// 128 bits on Midgard, scalar instructions over warps on Bifrost and Valhall; local memory lies in the same memory as
// global memory on all of them, so staging in it gains nothing. [3] Arm, "Mali GPU Best Practices": the registers of a
// core are shared by its threads. Midgard has 16 work registers of 128 bits, all threads fit with up to 4 of them;
// Bifrost and Valhall have 64 of 32 bits, all threads fit with up to 32 of them. [4] Cores that the maker of a chip may
// choose: of the T860, Arm's announcement (October 2014); of the G72, Arm's announcement (May 2017); of the G77, the
// table of GPUs in TensorFlow Lite's delegate for GPUs (gpu_info.cc); of the G52 and G76, no document of Arm's was at
// hand: SoC Labs on the G52 and Notebookcheck on the G76 say so. No schedule here depends on them. [5] Arm Compute
// Library, OpenCL kernels of element-wise operators (vector_size_byte_opencl): a thread loads and stores 16 bytes at a
// time.
// Nothing here was measured by us.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/schedule/work_item.hpp>

namespace tkl {

enum class mali_generation : std::uint8_t { midgard, bifrost, valhall };

/// What a schedule needs to know of a Mali GPU. Rates are those of one core, in operations per clock.
struct mali_facts {
  mali_generation generation = mali_generation::bifrost;
  int warp = 4;             // threads that execute together; 1 on Midgard, whose threads execute vectors
  int threads = 384;        // of a core, with few registers each
  int registers = 64;       // 32-bit registers of one thread
  int full_occupancy = 32;  // registers with which all threads fit
  int f32_rate = 24;        // operations per clock
  int f16_rate = 48;        // the same in half precision
  int cache_bytes = 16384;  // load/store cache of a core
  int group_items = 128;    // items that a work group of any kernel may have: threads at the highest use of registers
  int vector_bits = 32;     // that one thread computes at a time [2]: 32 are one f32 or two f16
  int load_bytes = 16;      // that a thread loads or stores at a time [5]
  int least_cores = 1;      // [4]
  int most_cores = 32;
  constexpr bool doubles_f16() const { return f16_rate >= 2 * f32_rate; }
};

namespace arch {

/// A tile of 4 pixels by 4 columns: 16 sums leave all threads of a core resident, and one loaded vector of weights
/// serves 4 pixels. Eight numbers of half precision are one load.
inline constexpr work_item_schedule mali_tile{.pixels = 4, .vectors = 1, .group = {8, 8, 1}, .half_vector = 8};

/// Midgard. [1]: 256 threads, 28 operations in f32 and 52 in f16 (vector and scalar units together).
struct mali_t860 {
  static constexpr std::string_view name = "mali_t860";
  static constexpr mali_facts facts{.generation = mali_generation::midgard,
                                    .warp = 1,
                                    .threads = 256,
                                    .registers = 64,
                                    .full_occupancy = 16,
                                    .f32_rate = 28,
                                    .f16_rate = 52,
                                    .group_items = 64,
                                    .vector_bits = 128,
                                    .most_cores = 16};
  static constexpr work_item_schedule items = mali_tile;
};

/// Bifrost, first generation. [1]
struct mali_g72 {
  static constexpr std::string_view name = "mali_g72";
  static constexpr mali_facts facts{.warp = 4, .threads = 384, .f32_rate = 24, .f16_rate = 48};
  static constexpr work_item_schedule items = mali_tile;
};

/// Bifrost, third generation, with two of its two or three execution engines. [1]
struct mali_g52 {
  static constexpr std::string_view name = "mali_g52";
  static constexpr mali_facts facts{.warp = 8, .threads = 512, .f32_rate = 32, .f16_rate = 64, .most_cores = 4};
  static constexpr work_item_schedule items = mali_tile;
};

/// Bifrost, third generation. [1]
struct mali_g76 {
  static constexpr std::string_view name = "mali_g76";
  static constexpr mali_facts facts{
      .warp = 8, .threads = 768, .f32_rate = 48, .f16_rate = 96, .least_cores = 4, .most_cores = 20};
  static constexpr work_item_schedule items = mali_tile;
};

/// Valhall; the same numbers but for the cores hold for the G57, G68 and G78. [1]
struct mali_g77 {
  static constexpr std::string_view name = "mali_g77";
  static constexpr mali_facts facts{.generation = mali_generation::valhall,
                                    .warp = 16,
                                    .threads = 1024,
                                    .f32_rate = 64,
                                    .f16_rate = 128,
                                    .group_items = 256,
                                    .least_cores = 7,
                                    .most_cores = 16};
  static constexpr work_item_schedule items{.pixels = 4, .vectors = 1, .group = {16, 4, 1}, .half_vector = 8};
};

static_assert(item_fits_registers<mali_t860::items, mali_t860> && group_fits<mali_t860::items, mali_t860>);
static_assert(item_fits_registers<mali_g72::items, mali_g72> && group_fits<mali_g72::items, mali_g72>);
static_assert(item_fits_registers<mali_g52::items, mali_g52> && group_fits<mali_g52::items, mali_g52>);
static_assert(item_fits_registers<mali_g76::items, mali_g76> && group_fits<mali_g76::items, mali_g76>);
static_assert(item_fits_registers<mali_g77::items, mali_g77> && group_fits<mali_g77::items, mali_g77>);
static_assert(item_fits_in_half<mali_g72::items, mali_g72> && item_fits_in_half<mali_g52::items, mali_g52> &&
              item_fits_in_half<mali_g76::items, mali_g76> && item_fits_in_half<mali_g77::items, mali_g77>);

}  // namespace arch
}  // namespace tkl
