// SPDX-License-Identifier: Apache-2.0
// mbarrier and cp.async.bulk on the CPU.
#pragma once

#include <cuda.h>

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
inline void copy_box(std::uint32_t to, const CUtensorMap& map, std::int32_t i, std::int32_t j, std::int32_t k,
                     std::uint32_t barrier) {
  const tensor_map t = map_of(map);
  if (to % 128 != 0) running().die("cp.async.bulk.tensor: an address is not a multiple of 128");
  const std::uint32_t line = t.box[0] * t.element_bytes;
  const std::uint32_t bytes = line * t.box[1] * t.box[2];
  running().shared_at(to, bytes);
  const auto inside = [](std::int64_t at, std::uint64_t extent) {
    return at >= 0 && static_cast<std::uint64_t>(at) < extent;
  };
  running().copy_in_bulk(barrier, bytes, [=] {
    for (std::uint32_t n = 0; n < bytes; n += t.element_bytes) {
      const std::int64_t x = i + std::int64_t{n % line / t.element_bytes}, y = j + std::int64_t{n / line % t.box[1]},
                         z = k + std::int64_t{n / line / t.box[1]};
      const std::uint32_t address = to + n;
      std::byte* const out = running().shared_at(address ^ (address >> 3 & 0x70), t.element_bytes);
      if (inside(x, t.extent[0]) && inside(y, t.extent[1]) && inside(z, t.extent[2])) {
        std::memcpy(out,
                    t.data + x * t.element_bytes + y * static_cast<std::int64_t>(t.stride[0]) +
                        z * static_cast<std::int64_t>(t.stride[1]),
                    t.element_bytes);
      } else {
        std::memset(out, 0, t.element_bytes);
      }
    }
  });
}

}  // namespace cuda_cpu
