// SPDX-License-Identifier: Apache-2.0
// Transposed two-dimensional convolution, output phase by output phase: every output element is gathered, once.
//
// The definition scatters: input pixel i adds to output i * stride - pad + u * dilation at tap u. Seen from output o,
// the taps that count are those with u * dilation = o + pad (mod stride). Outputs of one residue share their taps, so
// each of the stride_h x stride_w residues is an ordinary contraction over a subset of the taps, on packed panels of
// its own.
//
//   for a few blocks of pixels:
//     for residue r, c:  rows are the outputs with (oh + pad) mod stride = r, (ow + pad) mod stride = c
//       for group: for block of pixels, panel: see algo/contraction.hpp
//
// The residues of a few blocks follow one another while the lines of the output that they share are in the cache.
// Blocks of one channel have an algorithm of their own (algo/conv_transpose2d_blocks.hpp) on the same panels.
//
// Output padding only makes the output larger; a residue without taps (kernel < stride) gives epilogue(bias).
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/conv_transpose2d_blocks.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/conv.hpp>

namespace tkl {

/// x is n, h, w, c; y is n, oh, ow, o; oh = (h - 1) * stride - pads + dilation * (kernel - 1) + 1 + output padding.
template <class TA, class TW, class TC>
struct conv_transpose2d_problem {
  strided4<const TA> x{};
  const TW* weights = nullptr;  // pack_conv_transpose2d for the same schedule, 64-byte aligned
  strided4<TC> y{};
  conv2d_geometry geometry{};
};

/// The rows of the outputs of one residue (of rows and columns).
TKL_TAGGED constexpr row_space conv_transpose2d_rows(const conv2d_geometry& g, const strided_shape& x,
                                                     const strided_shape& y, std::int64_t residue_row,
                                                     std::int64_t residue_column) {
  row_space s;
  const std::int64_t residue[2]{residue_row, residue_column};
  s.extent[0] = y.extent[0];
  for (int i = 0; i < 3; ++i) {
    s.in_stride[i] = x.stride[i];
    s.out_stride[i] = y.stride[i];
  }
  for (int i = 0; i < 2; ++i) {
    const std::int64_t stride = g.stride[i];
    const residue_taps taps = taps_of_residue(g.kernel[i], stride, g.dilation[i], residue[i]);
    const std::int64_t first = ((residue[i] - g.pad[i]) % stride + stride) % stride, out = y.extent[i + 1];
    s.extent[i + 1] = out > first ? ceil_div(out - first, stride) : 0;
    s.in_extent[i] = x.extent[i + 1];
    s.taps[i] = taps.count;
    s.tap_first[i] = (first + g.pad[i] - taps.first * g.dilation[i]) / stride;
    s.tap_step[i] = -taps.step * g.dilation[i] / stride;
    s.out_first[i + 1] = first;
    s.out_step[i] = stride;
  }
  return s;
}

/// Bytes of scratch per worker of conv_transpose2d for elements of `element_bytes` bytes.
TKL_TAGGED constexpr std::int64_t conv_transpose2d_scratch_bytes(const conv_schedule& s, const conv2d_geometry& g,
                                                                 const strided_shape& x, const strided_shape& y,
                                                                 std::int64_t element_bytes = 4) {
  constexpr std::int64_t vector_bytes = 64;  // the largest there is
  std::int64_t most = 0;
  if (computes_blocks(g, y.extent[3], vector_bytes / 4))
    most = (1 + x.extent[3]) * vector_bytes +
           contraction_scratch_bytes(s.gemm(), conv_transpose2d_block_rows(g, x, y), x.extent[3], element_bytes);
  for (std::int64_t r = 0; r < g.stride[0]; ++r)
    for (std::int64_t c = 0; c < g.stride[1]; ++c) {
      const std::int64_t bytes = contraction_scratch_bytes(s.gemm(), conv_transpose2d_rows(g, x, y, r, c),
                                                           x.extent[3] / g.groups, element_bytes);
      if (bytes > most) most = bytes;
    }
  return most;
}

TKL_ISA_BEGIN

/// Blocks of a residue that are computed before the next residue.
inline constexpr std::int64_t parts_at_once = 4;

/// Computes y. `scratch`: executor.workers() times conv_transpose2d_scratch_bytes, 64-byte aligned.
template <conv_schedule S, class M, class TA, class TW, class TC, class E, class X>
void conv_transpose2d(const conv_transpose2d_problem<TA, TW, TC>& p, const E& epilogue, const X& executor,
                      std::byte* scratch) {
  const conv2d_geometry& g = p.geometry;
  const std::int64_t group_in = p.x.shape.extent[3] / g.groups, group_out = p.y.shape.extent[3] / g.groups;
  const std::int64_t bytes = conv_transpose2d_scratch_bytes(S, g, p.x.shape, p.y.shape, sizeof(TA));
  if (computes_blocks(g, p.y.shape.extent[3], M::width))
    return conv_transpose2d_blocks<S, M>(p.x, p.weights, p.y, g, epilogue, executor, scratch, bytes);
  const epilogue_context<TC, E> context{p.y.data, epilogue};
  contraction<M, TA, TW> whole{.panels = p.weights};
  whole.depth = group_in;
  whole.columns = group_out;
  whole.sink = sink_of<S.gemm(), M>(context);
  // Calls compute(c, parts) for each residue and group.
  const auto each_contraction = [&](auto&& compute) {
    contraction<M, TA, TW> c = whole;
    for (std::int64_t r = 0; r < g.stride[0]; ++r)
      for (std::int64_t q = 0; q < g.stride[1]; ++q) {
        c.space = conv_transpose2d_rows(g, p.x.shape, p.y.shape, r, q);
        const std::int64_t parts = c.space.rows() > 0 ? contraction_parts<S.gemm()>(c) : 0;
        for (std::int64_t group = 0; group < g.groups; ++group) {
          c.a = p.x.data + group * group_in;
          c.first_column = group * group_out;
          compute(c, parts);
          c.panels += packed_matrix_elements(c.space.tap_count() * group_in, group_out, M::width, bias_rows<TW>);
        }
      }
  };
  std::int64_t parts = 0;
  each_contraction([&](const auto&, std::int64_t own) { parts = own > parts ? own : parts; });
  executor.parallel_for(parts, [&](std::int64_t begin, std::int64_t end, int worker) {
    for (std::int64_t first = begin; first < end; first += parts_at_once)
      each_contraction([&](const auto& c, std::int64_t own) {
        const std::int64_t asked = end - first < parts_at_once ? end : first + parts_at_once;
        const std::int64_t last = asked < own ? asked : own;
        if (first < last) contract<S.gemm()>(c, first, last, scratch + worker * bytes);
      });
  });
}

TKL_ISA_END
}  // namespace tkl
