// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over windows of rows and columns. x is batch, row, column, channel.
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <tkl/op/window.hpp>

namespace tkl {

/// Attributes of max_pool2d. The kernel must be written; the stride is the kernel's extents unless it is written
/// (PyTorch's default, not ONNX's). Padding never wins and must be below what the kernel covers.
struct max_pool2d_params {
  pair2 kernel = unset;
  pair2 stride = unset;
  sides4 pad = {};
  pair2 dilation = 1;
  bool ceil_mode = false;
  constexpr bool operator==(const max_pool2d_params&) const = default;
};

/// Attributes of average_pool2d. The divisor counts the elements of the window inside the input; with count_include_pad
/// those inside input and padding (never what hangs over in ceil mode). The default is ONNX's, not PyTorch's.
struct average_pool2d_params {
  pair2 kernel = unset;
  pair2 stride = unset;
  sides4 pad = {};
  pair2 dilation = 1;
  bool ceil_mode = false;
  bool count_include_pad = false;
  constexpr bool operator==(const average_pool2d_params&) const = default;
};

/// Shape of the result, and the attributes as numbers (stride and automatic padding resolved).
struct pool_rule {
  shape_or_complaint result{};
  attributes attr{};
};

/// Shape rule of both poolings: x [N, H, W, C] -> [N, H', W', C].
template <class Params>
TKL_TAGGED constexpr pool_rule pool2d_rule(const shape& x, const Params& p) {
  pool_rule r;
  complaint& error = r.result.error;
  if (x.rank != 4) {
    error << "input has shape " << x << " with " << x.rank << " axes, needs 4: batch, row, column, channel";
    return r;
  }
  std::int64_t extent[2]{};
  for (int axis = 0; axis < 2; ++axis) {
    if (p.kernel[axis] == unset) {
      error << "kernel is not given";
      return r;
    }
    const std::int64_t stride = p.stride[axis] == unset ? p.kernel[axis] : p.stride[axis];
    const window_extent e = pool_extent({x[1 + axis], p.kernel[axis], stride, p.dilation[axis], p.pad.before(axis),
                                         p.pad.after(axis), p.pad.automatic, axis},
                                        p.ceil_mode);
    if (!e.ok()) {
      error = e.error;
      return r;
    }
    extent[axis] = e.extent;
    r.attr.kernel[axis] = static_cast<std::int32_t>(p.kernel[axis]);
    r.attr.stride[axis] = static_cast<std::int32_t>(stride);
    r.attr.dilation[axis] = static_cast<std::int32_t>(p.dilation[axis]);
    r.attr.pad[axis] = static_cast<std::int32_t>(e.before);
    r.attr.pad[2 + axis] = static_cast<std::int32_t>(e.after);
  }
  r.attr.ceil_mode = p.ceil_mode;
  r.result = checked_shape({x[0], extent[0], extent[1], x[3]});
  return r;
}

namespace detail {

constexpr value finish_pool(node_builder& b, value x, const pool_rule& rule, pool_kind kind, bool include_pad) {
  if (!rule.result.ok()) return b.fail(rule.result.error);
  const complaint c = need_floating("input", x->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr = rule.attr;
  b.made.attr.mode = static_cast<std::uint8_t>(kind);
  b.made.attr.count_include_pad = include_pad;
  return b.finish(x->type, rule.result);
}

}  // namespace detail

/// The largest element of each window. NaN in a window gives NaN.
constexpr value max_pool2d(value x, const max_pool2d_params& p) {
  node_builder b("max_pool2d", op_kind::pool2d, {x});
  if (b.silent) return b.none();
  return detail::finish_pool(b, x, pool2d_rule(x->shape, p), pool_kind::max, false);
}

/// The mean of each window.
constexpr value average_pool2d(value x, const average_pool2d_params& p) {
  node_builder b("average_pool2d", op_kind::pool2d, {x});
  if (b.silent) return b.none();
  return detail::finish_pool(b, x, pool2d_rule(x->shape, p), pool_kind::average, p.count_include_pad);
}

TKL_ISA_BEGIN

/// For each window: over its taps inside the input, the maximum, or the sum divided by the count.
inline void pool2d_definition(real_input x, real_output y, const attributes& a) {
  const bool largest = a.mode == static_cast<std::uint8_t>(pool_kind::max);
  const std::int64_t bottom = x.shape[1] + a.pad[2], right = x.shape[2] + a.pad[3];
  for (std::int64_t n = 0; n < y.shape[0]; ++n)
    for (std::int64_t h = 0; h < y.shape[1]; ++h)
      for (std::int64_t w = 0; w < y.shape[2]; ++w)
        for (std::int64_t c = 0; c < y.shape[3]; ++c) {
          double sum = 0, best = 0;
          std::int64_t inside = 0, padded = 0;
          for (std::int64_t u = 0; u < a.kernel[0]; ++u)
            for (std::int64_t v = 0; v < a.kernel[1]; ++v) {
              const std::int64_t row = h * a.stride[0] + u * a.dilation[0] - a.pad[0];
              const std::int64_t column = w * a.stride[1] + v * a.dilation[1] - a.pad[1];
              if (row < bottom && column < right) ++padded;
              if (row < 0 || row >= x.shape[1] || column < 0 || column >= x.shape[2]) continue;
              const double e = x.at(n, row, column, c);
              sum += e;
              if (inside++ == 0 || e > best || e != e) best = best != best ? best : e;
            }
          const std::int64_t count = a.count_include_pad ? padded : inside;
          y.at(n, h, w, c) = largest ? best : sum / static_cast<double>(count);
        }
}

TKL_ISA_END
}  // namespace tkl
