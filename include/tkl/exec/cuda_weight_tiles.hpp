// SPDX-License-Identifier: Apache-2.0
// Packed weights of a step brought into the order in which warpgroups read shared memory, on the host, when a model is
// loaded: an asynchronous copy then takes a tile as one run of bytes.
//
//   for group, tile of columns, tap, slice of its channels:
//     for column of the tile, vector of the slice's line:  where algo/mma/matrix_tile.hpp says; zeros beyond the matrix
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tkl/algo/mma/matrix_tile.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/exec/cuda_tile_launch.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// `panels`: the packed weights, panels of 4 columns that begin with their biases (algo/pack.hpp). `out`:
/// weight_tile_bytes(...) bytes. T: half or bfloat16, to which weights are rounded.
template <class T>
TKL_COLD void write_weight_tiles(const ring_schedule& schedule, const tile_contraction& c, const float* panels,
                                 std::byte* out) {
  const std::int64_t line = schedule.line_bytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t tap_slices = ceil_div(c.depth, line), slices = c.taps * tap_slices,
                     tiles = ceil_div(c.columns, schedule.columns);
  const std::int64_t panel_size = 4 * (c.taps * c.depth + 1), group_panels = ceil_div(c.columns, 4);
  std::memset(out, 0, static_cast<std::size_t>(c.groups * tiles * slices * schedule.columns_bytes()));
  for (std::int64_t g = 0; g < c.groups; ++g)
    for (std::int64_t column = 0; column < c.columns; ++column) {
      const float* const panel = panels + (g * group_panels + column / 4) * panel_size + column % 4;
      std::byte* const tile = out + (g * tiles + column / schedule.columns) * slices * schedule.columns_bytes();
      for (std::int64_t k = 0; k < c.taps * c.depth; ++k) {
        const std::int64_t tap = k / c.depth, channel = k % c.depth;
        const T value = packed_element<T>(static_cast<double>(panel[4 * (k + 1)]));
        const std::int32_t at = byte_of_tile(static_cast<std::int32_t>(column % schedule.columns),
                                             static_cast<std::int32_t>(channel % line * std::int64_t{sizeof(T)}));
        std::memcpy(tile + (tap * tap_slices + channel / line) * schedule.columns_bytes() + at, &value, sizeof value);
      }
    }
}

TKL_ISA_END
}  // namespace tkl
