// SPDX-License-Identifier: Apache-2.0
// What the kernels of a plan need of an Nvidia GPU, but for memory: known when the program compiles. No CUDA header is
// needed here.
#pragma once

#include <algorithm>
#include <tkl/exec/cuda_tile_launch.hpp>
#include <tkl/exec/device_plan.hpp>

namespace tkl {

/// Compared with what the device says, never with its name.
struct cuda_needs {
  int capability = 0;     // ten times the compute capability: 80 for 8.0; 0: any
  bool exact = false;     // that one alone
  int block_threads = 1;  // of one block
  int shared_bytes = 0;   // of one block
  int alignment = 1;      // bytes; of a caller's places on the device: vectors move where their address allows it
};

template <class Arch, cuda_product P>
constexpr cuda_needs cuda_needs_of(const device_plan& plan) {
  cuda_needs needs{Arch::facts.capability, Arch::facts.exact, plan.schedule.group_items()};
  for (int i = 0; i < plan.kernel_count; ++i) {
    const kernel_key& k = plan.keys[i];
    for (const element e : {k.in, k.out, k.weights})
      needs.alignment = (std::max)(needs.alignment, static_cast<int>(size_of(e)));
    const auto block = [&](int threads, int shared_bytes) {
      needs.block_threads = (std::max)(needs.block_threads, threads);
      needs.shared_bytes = (std::max)(needs.shared_bytes, shared_bytes);
    };
    if constexpr (cuda_tile_plan<Arch, P>::has_tiles) {
      if (multiplies_matrices(k, P))
        block(Arch::tiles.threads(), Arch::tiles.shared_bytes(static_cast<int>(16 / size_of(k.in))));
    }
    if constexpr (cuda_tile_plan<Arch, P>::has_ring) {
      if (suits_warpgroups(k, P)) block(Arch::ring.threads(), Arch::ring.shared_bytes());
    }
  }
  return needs;
}

}  // namespace tkl
