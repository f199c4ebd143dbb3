// SPDX-License-Identifier: Apache-2.0
// A tile of an operand as warpgroups read it from shared memory: lines of 128 bytes of the depth, one for each row or
// column, whose vectors of 16 bytes are exchanged so that 8 lines meet different banks.
//
// Source of both functions: "Parallel Thread Execution ISA", sections "Shared Memory Matrix Layout" and "Matrix
// Descriptor Format" of wgmma. Tiles begin at multiples of 1024 bytes, so that addresses and offsets are exchanged
// alike.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>

namespace tkl {

/// Offset in a tile of byte `byte` of line `line`: vector v of a line lies at v ^ (line % 8). An asynchronous copy with
/// the swizzle of 128 bytes writes this order.
TKL_FN constexpr std::int32_t byte_of_tile(std::int32_t line, std::int32_t byte) {
  return 128 * line + ((byte / 16 ^ line % 8) * 16 + byte % 16);
}

/// What tells an instruction where such a tile lies: its address in shared memory, which has at most 18 bits, and the
/// distance from 8 lines to the next 8, both in units of 16 bytes; that the depth runs along lines that are exchanged
/// in the way above. The next 32 bytes of the depth are two units further on.
TKL_FN constexpr std::uint64_t tile_descriptor(std::uint32_t address) {
  constexpr std::uint64_t eight_lines = 8 * 128 / 16, unused_distance = 1, swizzle_of_128_bytes = 1;
  return (address & 0x3ffff) / 16 | unused_distance << 16 | eight_lines << 32 | swizzle_of_128_bytes << 62;
}

}  // namespace tkl
