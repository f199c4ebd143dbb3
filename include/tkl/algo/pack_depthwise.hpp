// SPDX-License-Identifier: Apache-2.0
// Weights of a depthwise convolution as its kernel reads them: one block for each vector of output channels.
//
// A block is 1 + taps rows of `width` numbers: the biases of the block's channels, then one row per tap in the order of
// filter rows, then columns. Channels beyond the last are zeros. Biases are f32 beside weights of 16 bits
// (algo/pack.hpp).
#pragma once

#include <cstdint>
#include <tkl/algo/pack.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>

namespace tkl {

/// Elements of a packed depthwise filter; `channels` counts output channels, `width` is the machine's. The largest
/// number where they leave 64 bits.
constexpr std::int64_t packed_depthwise_elements(std::int64_t channels, std::int64_t taps, std::int64_t width,
                                                 std::int64_t biases = 1) {
  return (round_up(checked(channels), width) * (checked(taps) + biases)).or_largest();
}

TKL_ISA_BEGIN

/// Packs weights [channels, 1, rows, columns], the layout O,I/g,kH,kW of frameworks; `channels` counts output channels,
/// `taps` is rows * columns. `scale` (a folded batch norm) multiplies each channel's filter, `bias` starts its sums;
/// either may be null. `out` has packed_depthwise_elements(channels, taps, width, bias_rows<T>) elements and should be
/// 64-byte aligned.
template <class T, class TR>
void pack_depthwise(const TR* weights, std::int64_t channels, std::int64_t taps, const TR* scale, const TR* bias,
                    std::int64_t width, T* out) {
  for (std::int64_t first = 0; first < channels; first += width) {
    for (std::int64_t row = 0; row <= taps; ++row) {
      for (std::int64_t o = first; o < first + width; ++o) {
        if (row == 0) {
          out = store_bias(o < channels && bias ? static_cast<double>(bias[o]) : 0.0, out);
          continue;
        }
        double v = 0.0;
        if (o < channels)
          v = static_cast<double>(weights[o * taps + row - 1]) * (scale ? static_cast<double>(scale[o]) : 1.0);
        *out++ = packed_element<T>(v);
      }
    }
  }
}

TKL_ISA_END
}  // namespace tkl
