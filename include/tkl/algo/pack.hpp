// SPDX-License-Identifier: Apache-2.0
// Packed weights: what the micro-kernel of contractions reads, written once when weights are loaded.
//
// The second operand of a contraction is a matrix of depth x columns. It is cut into panels of P columns (P: the
// vectors of a register tile times their width). A panel is (1 + depth) x P elements: first the BIAS with which the
// sums start (zero where there is none), then the rows in the order of the depth. The last panel is as wide as whole
// vectors cover what is left; a rest of one vector joins the panel before it, because a tile one vector wide cannot
// keep the arithmetic busy. Columns beyond the matrix hold zero and are never stored by a kernel. All panels together
// are (1 + depth) * round_up(columns, width) elements, and panel p starts at p * P * (1 + depth). Beside weights of 16
// bits the biases are f32: their row takes the place of two rows of weights, and 2 + depth stands for 1 + depth.
//
// Depth order: tap row, tap column, input channel. Groups: one set of panels per group. Transposed convolution: one set
// per residue (tap row * dilation) mod stride and likewise for columns, each with its own subset of the taps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/element.hpp>
#include <type_traits>

namespace tkl {

/// Type of the biases that stand before weights of type T.
template <class T>
using bias_type = std::conditional_t<(sizeof(T) < sizeof(float)), float, T>;

/// Rows of weights of type T whose place a row of biases takes.
template <class T>
inline constexpr std::int64_t bias_rows = std::int64_t{sizeof(bias_type<T>) / sizeof(T)};

/// Width of panels in columns, and of one vector: `panel` is a multiple of `width`.
struct panel_shape {
  std::int64_t panel = 16;
  std::int64_t width = 8;
};

/// Panels of a schedule with nr vectors of `width` lanes.
constexpr panel_shape panels_of(int nr, int width) {
  return {std::int64_t{nr} * width, width};
}

/// Columns of the panel that starts where `rest` columns are left.
constexpr std::int64_t panel_columns(std::int64_t rest, const panel_shape& s) {
  return rest <= s.panel || (s.panel > s.width && rest <= s.panel + s.width) ? rest : s.panel;
}

/// Panels of a matrix with that many columns.
constexpr std::int64_t panel_count(std::int64_t columns, const panel_shape& s) {
  if (columns <= 0) return 0;
  return columns <= panel_columns(columns, s) ? 1 : ceil_div(columns - (s.panel > s.width ? s.width : 0), s.panel);
}

/// Elements of a packed matrix of depth x columns; `biases` are the rows that the biases take, as in the others. All of
/// them: the largest number where they leave 64 bits.
constexpr std::int64_t packed_matrix_elements(std::int64_t depth, std::int64_t columns, std::int64_t width,
                                              std::int64_t biases = 1) {
  return ((checked(depth) + biases) * round_up(checked(columns), width)).or_largest();
}

/// Weights of a convolution: O,I/g,kH,kW in memory; of a transposed one: I,O/g,kH,kW.
struct conv_weights {
  std::int64_t in_channels = 0;   // of all groups
  std::int64_t out_channels = 0;  // of all groups
  std::int64_t kernel[2]{1, 1};
  std::int64_t groups = 1;

  constexpr std::int64_t group_in() const { return in_channels / groups; }
  constexpr std::int64_t group_out() const { return out_channels / groups; }
  constexpr std::int64_t depth() const { return kernel[0] * kernel[1] * group_in(); }
};

/// Elements of packed convolution weights.
constexpr std::int64_t packed_conv2d_elements(const conv_weights& w, std::int64_t width, std::int64_t biases = 1) {
  const checked rows = checked(w.kernel[0]) * w.kernel[1] * w.group_in() + biases;
  return (rows * w.groups * round_up(checked(w.group_out()), width)).or_largest();
}

/// The taps of one axis of a transposed convolution that meet outputs of one residue r: those u with
/// u * dilation = r (mod stride), which are u = first, first + step, ...
struct residue_taps {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};
TKL_FN constexpr residue_taps taps_of_residue(std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                                              std::int64_t residue) {
  residue_taps r;
  r.step = stride / common_divisor(stride, dilation);
  const std::int64_t end = (std::min)(r.step, kernel);
  while (r.first < end && r.first * dilation % stride != residue) ++r.first;
  if (r.first < end) r.count = (kernel - 1 - r.first) / r.step + 1;
  return r;
}

/// Elements of packed weights of a transposed convolution: each tap belongs to one residue, and each residue begins
/// with a bias row.
constexpr std::int64_t packed_conv_transpose2d_elements(const conv_weights& w, const std::int64_t (&stride)[2],
                                                        std::int64_t width, std::int64_t biases = 1) {
  const checked rows = checked(stride[0]) * stride[1] * biases + checked(w.kernel[0]) * w.kernel[1] * w.group_in();
  return (rows * w.groups * round_up(checked(w.group_out()), width)).or_largest();
}

TKL_ISA_BEGIN

/// A weight as it is stored: rounded from double precision to f32, and from there to 16 bits.
template <class T>
TKL_FN T packed_element(double value) {
  if constexpr (element_of<T> == element::f16) {
    return to_half(static_cast<float>(value));
  } else if constexpr (element_of<T> == element::bf16) {
    return to_bfloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}
template <>
TKL_FN double packed_element<double>(double value) {
  return value;
}

/// Stores a bias before weights of type T and gives the place behind it.
template <class T>
TKL_FN T* store_bias(double value, T* out) {
  const bias_type<T> stored = packed_element<bias_type<T>>(value);
  std::memcpy(static_cast<void*>(out), &stored, sizeof stored);
  return out + bias_rows<T>;
}

/// Where a matrix of depth x columns lies, whose depth is counted in taps and their channels, and what becomes of it.
template <class TR>
struct packing_source {
  const TR* first = nullptr;  // element of the first tap, channel and column
  std::int64_t taps[2]{1, 1};
  std::int64_t tap_stride[2]{};
  std::int64_t channels = 0, channel_stride = 0;
  std::int64_t columns = 0, column_stride = 0;
  const TR* scale = nullptr;  // multiplies columns; null: by 1
  const TR* bias = nullptr;   // starts the sums of columns; null: 0

  TKL_FN double of(const TR* row, std::int64_t column) const {
    const double v = static_cast<double>(row[column * column_stride]);
    return scale ? v * static_cast<double>(scale[column]) : v;
  }
};

/// for each panel: bias row, then for tap row, tap column, channel: the panel's columns, zero beyond the last.
/// Returns the place after the last element written.
template <class T, class TR>
TKL_COLD T* pack_panels(const packing_source<TR>& s, panel_shape shape, T* out) {
  for (std::int64_t first = 0, used = 0; first < s.columns; first += used) {
    used = panel_columns(s.columns - first, shape);
    const std::int64_t stored = round_up(used, shape.width);
    for (std::int64_t j = 0; j < stored; ++j)
      out = store_bias(j < used && s.bias ? static_cast<double>(s.bias[first + j]) : 0.0, out);
    for (std::int64_t u = 0; u < s.taps[0]; ++u)
      for (std::int64_t v = 0; v < s.taps[1]; ++v)
        for (std::int64_t k = 0; k < s.channels; ++k) {
          const TR* row = s.first + (u * s.tap_stride[0] + v * s.tap_stride[1] + k * s.channel_stride);
          for (std::int64_t j = 0; j < stored; ++j) *out++ = packed_element<T>(j < used ? s.of(row, first + j) : 0.0);
        }
  }
  return out;
}

/// Packs a matrix whose element (k, n) lies at b[k * depth_stride + n * column_stride]: in x out, or out x in with the
/// strides exchanged. `scale` multiplies columns, `bias` starts their sums; either may be null.
/// `out` has packed_matrix_elements(depth, columns, shape.width, bias_rows<T>) elements and should be 64-byte aligned.
template <class T, class TR>
TKL_COLD void pack_matrix(const TR* b, std::int64_t depth_stride, std::int64_t column_stride, std::int64_t depth,
                          std::int64_t columns, const TR* scale, const TR* bias, panel_shape shape, T* out) {
  const packing_source<TR> s{.first = b,
                             .channels = depth,
                             .channel_stride = depth_stride,
                             .columns = columns,
                             .column_stride = column_stride,
                             .scale = scale,
                             .bias = bias};
  pack_panels(s, shape, out);
}

/// Packs convolution weights O,I/g,kH,kW. `scale` (a folded batch norm) multiplies the weights of each output channel,
/// `bias` starts its sums; either may be null. `out` has packed_conv2d_elements(w, shape.width, bias_rows<T>) elements.
template <class T, class TR>
TKL_COLD void pack_conv2d(const TR* weights, const conv_weights& w, const TR* scale, const TR* bias, panel_shape shape,
                          T* out) {
  const std::int64_t in = w.group_in(), outs = w.group_out(), taps = w.kernel[0] * w.kernel[1];
  if (w.out_channels == 0) return;
  for (std::int64_t g = 0; g < w.groups; ++g) {
    const packing_source<TR> s{.first = weights + g * outs * in * taps,
                               .taps = {w.kernel[0], w.kernel[1]},
                               .tap_stride = {w.kernel[1], 1},
                               .channels = in,
                               .channel_stride = taps,
                               .columns = outs,
                               .column_stride = in * taps,
                               .scale = scale ? scale + g * outs : nullptr,
                               .bias = bias ? bias + g * outs : nullptr};
    out = pack_panels(s, shape, out);
  }
}

/// Packs weights I,O/g,kH,kW of a transposed convolution, residue by residue (rows outer, columns inner), in each group
/// by group. `scale` and `bias` are per output channel; either may be null. Padding plays no part. `out` has
/// packed_conv_transpose2d_elements(w, stride, shape.width, bias_rows<T>) elements.
template <class T, class TR>
TKL_COLD void pack_conv_transpose2d(const TR* weights, const conv_weights& w, const std::int64_t (&stride)[2],
                                    const std::int64_t (&dilation)[2], const TR* scale, const TR* bias,
                                    panel_shape shape, T* out) {
  const std::int64_t in = w.group_in(), outs = w.group_out(), taps = w.kernel[0] * w.kernel[1];
  if (w.out_channels == 0) return;
  for (std::int64_t r = 0; r < stride[0]; ++r)
    for (std::int64_t c = 0; c < stride[1]; ++c) {
      const residue_taps rows = taps_of_residue(w.kernel[0], stride[0], dilation[0], r);
      const residue_taps columns = taps_of_residue(w.kernel[1], stride[1], dilation[1], c);
      const bool none = rows.count == 0 || columns.count == 0;
      for (std::int64_t g = 0; g < w.groups; ++g) {
        const std::int64_t first = none ? 0 : rows.first * w.kernel[1] + columns.first;
        const packing_source<TR> s{.first = weights + (g * in * outs * taps + first),
                                   .taps = {rows.count, columns.count},
                                   .tap_stride = {rows.step * w.kernel[1], columns.step},
                                   .channels = in,
                                   .channel_stride = outs * taps,
                                   .columns = outs,
                                   .column_stride = taps,
                                   .scale = scale ? scale + g * outs : nullptr,
                                   .bias = bias ? bias + g * outs : nullptr};
        out = pack_panels(s, shape, out);
      }
    }
}

TKL_ISA_END
}  // namespace tkl
