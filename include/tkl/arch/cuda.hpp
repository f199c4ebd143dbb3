// SPDX-License-Identifier: Apache-2.0
// Nvidia GPUs as data: compute capabilities, and the default schedules that follow from their facts.
//
// Source: Nvidia, "CUDA C++ Programming Guide", section "Compute Capabilities", table "Technical Specifications per
// Compute Capability"; numbers of multiprocessors (A100, H100 SXM): Nvidia's white papers of the two architectures.
// Nothing here was measured by us.
#pragma once

#include <string_view>
#include <tkl/schedule/mma.hpp>
#include <tkl/schedule/ring.hpp>
#include <tkl/schedule/work_item.hpp>

namespace tkl {

/// What a schedule needs to know of a GPU. Numbers of a multiprocessor (SM) unless said.
struct cuda_facts {
  int capability = 0;  // ten times the compute capability that is needed at least: 80 for 8.0; 0: any
  int warp = 32;       // threads that execute together
  int threads = 1024;  // resident threads
  int block_threads = 1024;
  int registers = 255;            // 32-bit registers of one thread
  int register_file = 65536;      // 32-bit registers
  int shared_bytes = 48 * 1024;   // shared memory of one block
  int cache_bytes = 48 * 1024;    // first-level cache and shared memory together
  bool async_copies = false;      // cp.async: from global to shared memory past the registers
  bool tensor_tf32_bf16 = false;  // mma.sync on tf32 and bf16
  int multiprocessors = 0;        // of the GPU; 0: not known
  bool exact = false;             // code for this capability alone runs: not on a later GPU either
};

namespace arch {

/// A tile of 4 pixels by 4 columns: 16 sums, one loaded vector of weights serves 4 pixels.
inline constexpr work_item_schedule cuda_tile{.pixels = 4, .vectors = 1, .group = {32, 4, 1}};
/// A block of 4 warps with 32 sums per thread; three slices of 16 KiB are what every block may have of shared memory.
inline constexpr mma_schedule cuda_tensor_tile{};

/// Any GPU that the compiler generates code for: no tensor cores, no asynchronous copies.
struct simt {
  static constexpr std::string_view name = "simt";
  static constexpr cuda_facts facts{};
  static constexpr work_item_schedule items = cuda_tile;
};

/// Ampere, compute capability 8.0 (A100).
struct sm_80 {
  static constexpr std::string_view name = "sm_80";
  static constexpr cuda_facts facts{.capability = 80,
                                    .threads = 2048,
                                    .shared_bytes = 163 * 1024,
                                    .cache_bytes = 192 * 1024,
                                    .async_copies = true,
                                    .tensor_tf32_bf16 = true,
                                    .multiprocessors = 108};
  static constexpr work_item_schedule items = cuda_tile;
  static constexpr mma_schedule tiles = cuda_tensor_tile;
};

/// Hopper, compute capability 9.0 (H100, H200).
struct sm_90 {
  static constexpr std::string_view name = "sm_90";
  static constexpr cuda_facts facts{.capability = 90,
                                    .threads = 2048,
                                    .shared_bytes = 227 * 1024,
                                    .cache_bytes = 256 * 1024,
                                    .async_copies = true,
                                    .tensor_tf32_bf16 = true,
                                    .multiprocessors = 132};
  static constexpr work_item_schedule items = cuda_tile;
  static constexpr mma_schedule tiles = cuda_tensor_tile;
};

/// Hopper with the instructions that belong to compute capability 9.0 alone, for programs compiled with -arch=sm_90a.
struct sm_90a {
  static constexpr std::string_view name = "sm_90a";
  static constexpr cuda_facts facts{.capability = 90,
                                    .threads = 2048,
                                    .shared_bytes = 227 * 1024,
                                    .cache_bytes = 256 * 1024,
                                    .async_copies = true,
                                    .tensor_tf32_bf16 = true,
                                    .multiprocessors = 132,
                                    .exact = true};
  static constexpr work_item_schedule items = cuda_tile;
  static constexpr mma_schedule tiles = cuda_tensor_tile;
  static constexpr ring_schedule ring{};
};

static_assert(item_fits_registers<simt::items, simt> && simt::items.group_items() <= simt::facts.block_threads);
static_assert(item_fits_registers<sm_80::items, sm_80> && sm_80::items.group_items() <= sm_80::facts.block_threads);
static_assert(item_fits_registers<sm_90::items, sm_90> && sm_90::items.group_items() <= sm_90::facts.block_threads);
static_assert(fits_shared_memory<sm_80::tiles, sm_80> && mma_fits_registers<sm_80::tiles, sm_80>);
static_assert(fits_shared_memory<sm_90::tiles, sm_90> && mma_fits_registers<sm_90::tiles, sm_90>);
static_assert(item_fits_registers<sm_90a::items, sm_90a> && fits_shared_memory<sm_90a::tiles, sm_90a> &&
              mma_fits_registers<sm_90a::tiles, sm_90a> && ring_fits<sm_90a::ring, sm_90a>);

}  // namespace arch
}  // namespace tkl
