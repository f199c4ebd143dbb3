// SPDX-License-Identifier: Apache-2.0
// Two-dimensional convolution (cross-correlation) as a contraction over output pixels, without an im2col buffer.
//
//   y[n, oh, ow, o] = epilogue(bias[o] + sum over u, v, i of x[n, oh * stride - pad + u * dilation, ..., i] * w[o, i,
//   u, v])
//
// Input columns (channels) are consecutive; all other strides are free. Any kernel, stride, dilation, groups and
// padding; bottom and right padding follow from the output's extents, and whatever a tap meets outside of the input is
// zero. With one tap this is a matrix product. algo/conv2d_staged.hpp has the form for few input channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/conv.hpp>

namespace tkl {

/// The numbers of a convolution. `pad`: top, left.
struct conv2d_geometry {
  std::int64_t kernel[2]{1, 1};
  std::int64_t stride[2]{1, 1};
  std::int64_t dilation[2]{1, 1};
  std::int64_t pad[2]{};
  std::int64_t groups = 1;
};

/// A convolution: x is n, h, w, c; y is n, oh, ow, o. Channels of both are multiples of the groups.
template <class TA, class TW, class TC>
struct conv2d_problem {
  strided4<const TA> x{};
  const TW* weights = nullptr;  // pack_conv2d for the same schedule, 64-byte aligned
  strided4<TC> y{};
  conv2d_geometry geometry{};
};

/// The rows of a convolution.
TKL_TAGGED constexpr row_space conv2d_rows(const conv2d_geometry& g, const strided_shape& x, const strided_shape& y) {
  row_space s;
  for (int i = 0; i < 3; ++i) {
    s.extent[i] = y.extent[i];
    s.in_stride[i] = x.stride[i];
    s.out_stride[i] = y.stride[i];
  }
  for (int i = 0; i < 2; ++i) {
    s.in_extent[i] = x.extent[i + 1];
    s.in_step[i] = g.stride[i];
    s.taps[i] = g.kernel[i];
    s.tap_first[i] = -g.pad[i];
    s.tap_step[i] = g.dilation[i];
  }
  return s;
}

/// Bytes of scratch per worker of conv2d for elements of `element_bytes` bytes.
TKL_TAGGED constexpr std::int64_t conv2d_scratch_bytes(const conv_schedule& s, const conv2d_geometry& g,
                                                       const strided_shape& x, const strided_shape& y,
                                                       std::int64_t element_bytes = 4) {
  return contraction_scratch_bytes(s.gemm(), conv2d_rows(g, x, y), x.extent[3] / g.groups, element_bytes);
}

TKL_ISA_BEGIN

namespace impl {

/// conv2d with its results going to a sink; compiled once for all epilogues. y: shape of the output.
template <conv_schedule S, class M, class TA, class TW, class X>
TKL_NOINLINE void conv2d_to_sink(const strided4<const TA>& x, const TW* weights, const strided_shape& y,
                                 const conv2d_geometry& geometry, const tile_sink<M>& sink, const X& executor,
                                 std::byte* scratch) {
  constexpr gemm_schedule tile = S.gemm();
  const std::int64_t groups = geometry.groups;
  const std::int64_t group_in = x.shape.extent[3] / groups, group_out = y.extent[3] / groups;
  contraction<M, TA, TW> whole{.space = conv2d_rows(geometry, x.shape, y), .a = x.data};
  whole.panels = weights;
  whole.depth = group_in;
  whole.columns = group_out;
  whole.sink = sink;
  const std::int64_t panels =
      packed_matrix_elements(whole.space.tap_count() * group_in, group_out, M::width, bias_rows<TW>);
  const std::int64_t bytes = contraction_scratch_bytes(tile, whole.space, group_in, sizeof(TA));
  const std::int64_t parts = contraction_parts<tile>(whole);
  executor.parallel_for(groups * parts, [&](std::int64_t begin, std::int64_t end, int worker) {
    contraction<M, TA, TW> c = whole;
    for (std::int64_t part = begin; part < end;) {
      const std::int64_t group = part / parts, last = (group + 1) * parts < end ? (group + 1) * parts : end;
      c.a = whole.a + group * group_in;
      c.panels = whole.panels + group * panels;
      c.first_column = group * group_out;
      contract<tile>(c, part - group * parts, last - group * parts, scratch + worker * bytes);
      part = last;
    }
  });
}

}  // namespace impl

/// Computes y. `scratch`: executor.workers() times conv2d_scratch_bytes, 64-byte aligned.
///   for group: for block of pixels, panel: see algo/contraction.hpp
template <conv_schedule S, class M, class TA, class TW, class TC, class E, class X>
void conv2d(const conv2d_problem<TA, TW, TC>& p, const E& epilogue, const X& executor, std::byte* scratch) {
  const epilogue_context<TC, E> context{p.y.data, epilogue};
  impl::conv2d_to_sink<S, M>(p.x, p.weights, p.y.shape, p.geometry, sink_of<S.gemm(), M>(context), executor, scratch);
}

TKL_ISA_END
}  // namespace tkl
