// SPDX-License-Identifier: Apache-2.0
// How the items of a step become blocks of threads, within the limits that every GPU has: 2^31 - 1 blocks along the
// first dimension of a grid and 65535 along the others, 1024 threads of a block and 64 along its third dimension.
//
// A grid that is too short along its second or third dimension is walked more than once: for_items in cuda_kernel.cuh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/work_item/roles.hpp>

namespace tkl {

/// Shape of a launch: threads of a block, blocks in all, blocks of the grid.
struct cuda_launch {
  std::uint32_t threads[3]{1, 1, 1};
  std::uint32_t blocks[3]{};
  std::uint32_t grid[3]{};
  /// Nothing to launch: a grid must have blocks.
  constexpr bool empty() const { return blocks[0] == 0 || blocks[1] == 0 || blocks[2] == 0; }
};

/// Blocks of at most `threads` threads (a power of two, 32 to 1024) for `items`: as long along the first dimension as a
/// warp if there are enough items, the rest along the second, then the third. `team`: threads that share an item, first
/// dimension of the block; items then follow along its second and third.
constexpr cuda_launch cuda_launch_of(const item_counts& items, int threads, int team) {
  constexpr std::int64_t most_blocks = 65535, most_along_third = 64;
  cuda_launch l;
  std::int64_t left = threads / team, own[3]{1, 1, 1};
  for (int i = 0; i < (team > 1 ? 2 : 3); ++i) {
    const std::int64_t most = team > 1 ? (i == 1 ? most_along_third : left)
                                       : (i == 0   ? 32
                                          : i == 2 ? most_along_third
                                                   : left);
    while (own[i] < items.count[i] && own[i] * 2 <= (std::min)(most, left)) own[i] *= 2;
    left /= own[i];
  }
  for (int i = 0; i < 3; ++i) {
    const std::int64_t blocks = (items.count[i] + own[i] - 1) / own[i];
    l.blocks[i] = static_cast<std::uint32_t>(blocks);
    l.grid[i] = static_cast<std::uint32_t>(i == 0 ? blocks : (std::min)(blocks, most_blocks));
    if (team > 1 && i < 2) {
      l.threads[i + 1] = static_cast<std::uint32_t>(own[i]);
    } else if (team == 1) {
      l.threads[i] = static_cast<std::uint32_t>(own[i]);
    }
  }
  if (team > 1) l.threads[0] = static_cast<std::uint32_t>(team);
  return l;
}

}  // namespace tkl
