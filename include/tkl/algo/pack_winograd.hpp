// SPDX-License-Identifier: Apache-2.0
// Weights of a Winograd convolution as its products read them: the biases of all output channels in whole vectors, then
// (m + 2)^2 packed matrices of input x output channels, the transformed taps.
#pragma once

#include <cstdint>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/winograd_transform.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>

namespace tkl {

/// Elements of the packed weights for tiles of outputs x outputs. The largest number where they leave 64 bits.
TKL_TAGGED constexpr std::int64_t packed_winograd_elements(int outputs, std::int64_t in_channels,
                                                           std::int64_t out_channels, std::int64_t width) {
  const checked columns = round_up(checked(out_channels), width);
  return (columns + columns * (checked(in_channels) + 1) * std::int64_t{winograd_products(outputs)}).or_largest();
}

TKL_ISA_BEGIN

/// Transforms and packs weights O,I,3,3. `scale` (a folded batch norm) multiplies the weights of each output channel,
/// `bias` is added to its sums; either may be null. Transformed in double precision, rounded once. `out` has
/// packed_winograd_elements elements and should be 64-byte aligned.
template <class T, class TR>
TKL_COLD void pack_winograd(int outputs, const TR* weights, std::int64_t in_channels, std::int64_t out_channels,
                            const TR* scale, const TR* bias, panel_shape shape, T* out) {
  const detail::winograd_filter g(outputs);
  const int products = winograd_products(outputs);
  const std::int64_t matrix = packed_matrix_elements(in_channels, out_channels, shape.width);
  for (std::int64_t o = 0; o < round_up(out_channels, shape.width); ++o)
    *out++ = packed_element<T>(o < out_channels && bias ? static_cast<double>(bias[o]) : 0.0);
  for (std::int64_t first = 0, used = 0; first < out_channels; first += used) {
    used = panel_columns(out_channels - first, shape);
    const std::int64_t stored = round_up(used, shape.width);
    for (std::int64_t i = -1; i < in_channels; ++i)  // -1: the row of biases, which are added later
      for (std::int64_t j = 0; j < stored; ++j, ++out) {
        double u[36]{};
        if (i >= 0 && j < used) transform_filter(g, weights + ((first + j) * in_channels + i) * 9, u);
        const double factor = j < used && scale ? static_cast<double>(scale[first + j]) : 1.0;
        for (int xi = 0; xi < products; ++xi) out[xi * matrix] = packed_element<T>(u[xi] * factor);
      }
  }
}

TKL_ISA_END
}  // namespace tkl
