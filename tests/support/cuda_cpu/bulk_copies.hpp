// SPDX-License-Identifier: Apache-2.0
// mbarrier and cp.async.bulk on the CPU.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "block.hpp"

namespace cuda_cpu {

inline std::uint32_t shared_address() {
  return running().shared_address();
}
inline void begin_barrier(std::uint32_t barrier, unsigned arrivals) {
  running().begin_memory_barrier(barrier, arrivals);
}
inline void show_barriers() {}
inline void arrive(std::uint32_t barrier, unsigned bytes) {
  running().arrive(barrier, bytes);
}
inline void wait_parity(std::uint32_t barrier, unsigned parity) {
  running().wait(barrier, parity);
}

inline void copy_bytes(std::uint32_t to, const void* from, unsigned bytes, std::uint32_t barrier) {
  if (to % 16 != 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
    running().die("cp.async.bulk: addresses and sizes are multiples of 16");
  std::byte* const out = running().shared_at(to, bytes);
  running().copy_in_bulk(barrier, bytes, [=] { std::memcpy(out, from, bytes); });
}

/// Vectors of 16 bytes of a box with the swizzle of 128 bytes: bits 4 to 6 of an address are exchanged by bits 7 to 9.
inline void copy_box(std::uint32_t to, const CUtensorMap& map, const std::int32_t (&at)[5], std::uint32_t barrier) {
  const tensor_map t = map_of(map);
  if (to % 128 != 0) running().die("cp.async.bulk.tensor: an address is not a multiple of 128");
  std::uint32_t bytes = t.element_bytes;
  for (const std::uint32_t b : t.box) bytes *= b;
  running().shared_at(to, bytes);
  std::array<std::int64_t, 5> first{};
  for (unsigned a = 0; a < 5; ++a) first[a] = at[a];
  running().copy_in_bulk(barrier, bytes, [=] {
    for (std::uint32_t n = 0; n < bytes; n += t.element_bytes) {
      std::uint32_t rest = n / t.element_bytes;
      std::int64_t from = 0;
      bool inside = true;
      for (unsigned a = 0; a < 5; ++a) {
        const std::int64_t x = first[a] + rest % t.box[a];
        rest /= t.box[a];
        inside = inside && x >= 0 && static_cast<std::uint64_t>(x) < t.extent[a];
        from += x * static_cast<std::int64_t>(a == 0 ? t.element_bytes : t.stride[a - 1]);
      }
      const std::uint32_t address = to + n;
      std::byte* const out = running().shared_at(address ^ (address >> 3 & 0x70), t.element_bytes);
      if (inside) {
        std::memcpy(out, t.data + from, t.element_bytes);
      } else {
        std::memset(out, 0, t.element_bytes);
      }
    }
  });
}

}  // namespace cuda_cpu
