// SPDX-License-Identifier: Apache-2.0
// What kernels use of CUDA's language: attributes, indices, barriers, shuffles; and asynchronous copies.
#pragma once

#include <cstdint>
#include <cstring>

#include "block.hpp"

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define threadIdx (::cuda_cpu::running().current().index)
#define blockIdx (::cuda_cpu::running().index)
#define blockDim (::cuda_cpu::running().threads)
#define gridDim (::cuda_cpu::running().grid)

inline void __syncthreads() {
  cuda_cpu::running().barrier("__syncthreads");
}
inline void __syncwarp(unsigned mask = ~0u) {
  cuda_cpu::running().meet(mask, "__syncwarp");
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int lane_mask) {
  T other{};
  const unsigned from = cuda_cpu::running().current().lane ^ static_cast<unsigned>(lane_mask);
  cuda_cpu::running().exchange(mask, v, "__shfl_xor_sync", [&](auto lane) { other = lane(from); });
  return other;
}

namespace cuda_cpu {

/// Dynamic shared memory of the block.
inline void* shared_memory() {
  return running().shared();
}

/// cp.async of 16 bytes: the first `bytes` are copied, the others become zeros.
inline void copy_async_16(void* to, const void* from, unsigned bytes) {
  const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 != 0; };
  if (misaligned(to) || misaligned(from)) running().die("cp.async: an address is not a multiple of 16");
  running().current().copies.back().push_back({to, from, bytes, 16});
}
/// cp.async.commit_group
inline void commit_copies() {
  running().current().copies.emplace_back();
}
/// cp.async.wait_group: at most `open` groups are left behind.
inline void wait_copies(unsigned open) {
  auto& groups = running().current().copies;
  while (groups.size() > open + 1) {
    for (const async_copy& c : groups.front()) {
      if (c.bytes != 0) std::memcpy(c.to, c.from, c.bytes);
      std::memset(static_cast<char*>(c.to) + c.bytes, 0, c.total - c.bytes);
    }
    groups.erase(groups.begin());
  }
}

}  // namespace cuda_cpu
