// SPDX-License-Identifier: Apache-2.0
// How a Winograd convolution is cut into blocks, and when it is faster than the direct one: the same functions for the
// kernel, the passes and the report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/schedule/conv.hpp>

namespace tkl {

/// Outputs along a side of a method's tile; 0: not a Winograd method.
TKL_TAGGED constexpr int winograd_outputs(conv_method m) {
  return m == conv_method::winograd2 ? 2 : m == conv_method::winograd4 ? 4 : 0;
}

/// A 3 x 3 convolution of stride 1 as the choice sees it.
struct winograd_shape {
  std::int64_t images = 1;
  std::int64_t rows = 0, columns = 0;  // of the output
  std::int64_t in_channels = 0, out_channels = 0;

  TKL_TAGGED constexpr std::int64_t tiles(int outputs) const {
    return images * ceil_div(rows, outputs) * ceil_div(columns, outputs);
  }
};

/// Tiles of one block: as many as keep the transformed inputs and products in three quarters of the second-level cache,
/// but at least the rows of four register tiles (each block streams all weights once), and at most `most`; blocks are
/// equal as far as possible.
TKL_TAGGED constexpr std::int64_t winograd_block(const winograd_shape& s, int outputs, int mr, std::int64_t most,
                                                 std::int64_t l2_bytes) {
  const std::int64_t side = outputs + 2, tiles = s.tiles(outputs);
  const std::int64_t bytes = side * side * 4 * (std::max)(std::int64_t{1}, s.in_channels + s.out_channels);
  const std::int64_t kept = l2_bytes * 3 / 4 / bytes / mr * mr;
  const std::int64_t block = (std::min)(most, (std::max)(kept, std::int64_t{4} * mr));
  const std::int64_t blocks = ceil_div(tiles, block);
  return blocks > 1 ? (std::min)(block, round_up(ceil_div(tiles, blocks), mr)) : block;
}

/// What the estimate knows about a machine.
struct conv_machine {
  int width = 1;  // f32 lanes
  int mr = 6;
  std::int64_t block_rows = 96;  // the most rows of a block of the contraction
  std::int64_t l2_bytes = 256 * 1024;
  int weight_bytes = 4;  // of a weight of the direct convolution; transformed ones have 4
};

/// Estimated cycles of a method, or of the direct convolution. Two multiply-adds of vectors per cycle; weights come
/// from memory once at 4 bytes per cycle, and with each further block from a cache at 16; a transform takes 4 cycles
/// for each vector of a tile in the transformed domain. Shared by all methods, and so left out: input, output,
/// epilogue.
TKL_TAGGED constexpr std::int64_t conv_cycles(const winograd_shape& s, conv_method m, const conv_machine& machine) {
  const int outputs = winograd_outputs(m);
  const std::int64_t side = outputs == 0 ? 3 : outputs + 2;
  const std::int64_t places = outputs == 0 ? s.images * s.rows * s.columns : s.tiles(outputs);
  const std::int64_t block =
      outputs == 0 ? machine.block_rows : winograd_block(s, outputs, machine.mr, machine.block_rows, machine.l2_bytes);
  const std::int64_t weights = side * side * s.in_channels * s.out_channels;
  const std::int64_t products = places * weights / (2 * machine.width);
  const std::int64_t bytes = (outputs == 0 ? machine.weight_bytes : 4) * weights;
  const std::int64_t again = (std::max)(std::int64_t{0}, ceil_div(places, block) - 1);
  const std::int64_t vectors = ceil_div(s.in_channels, machine.width) + ceil_div(s.out_channels, machine.width);
  return products + bytes / 4 + again * bytes / 16 + (outputs == 0 ? 0 : places * side * side * vectors * 4);
}

/// The method with the least estimate. A method with larger weights must earn them: tiles of 2 x 2 run only where they
/// take at most 85 % of the direct form's cycles, tiles of 4 x 4 where they take at most 90 % of those, or 85 % of the
/// direct form's.
TKL_TAGGED constexpr conv_method fastest_method(const winograd_shape& s, const conv_machine& machine) {
  conv_method best = conv_method::direct;
  std::int64_t least = conv_cycles(s, conv_method::direct, machine) / 100 * 85;
  if (const std::int64_t cycles = conv_cycles(s, conv_method::winograd2, machine); cycles <= least)
    best = conv_method::winograd2, least = cycles / 100 * 90;
  return conv_cycles(s, conv_method::winograd4, machine) <= least ? conv_method::winograd4 : best;
}

}  // namespace tkl
