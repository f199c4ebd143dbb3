// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution, two-dimensional, with groups (depthwise: groups = channels).
//
// x is batch, row, column, channel. Weights are as frameworks write them: convolution O, I / groups, kH, kW; transposed
// I, O / groups, kH, kW. "Convolution" is cross-correlation, as everywhere in neural networks (ONNX Conv,
// ConvTranspose).
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <tkl/op/window.hpp>

namespace tkl {

/// Attributes of conv2d. Padding is the input's border of zeros.
struct conv2d_params {
  pair2 stride = 1;
  sides4 pad = {};
  pair2 dilation = 1;
  std::int64_t groups = 1;
  conv_method method = conv_method::automatic;
  conv_chaining chain = conv_chaining::automatic;
  constexpr bool operator==(const conv2d_params&) const = default;
};

/// Attributes of conv_transpose2d. Padding is what is cut off the full result; output_pad adds at the end.
struct conv_transpose2d_params {
  pair2 stride = 1;
  sides4 pad = {};
  pair2 dilation = 1;
  std::int64_t groups = 1;
  pair2 output_pad = 0;
  constexpr bool operator==(const conv_transpose2d_params&) const = default;
};

/// Shape of the result, and the attributes as numbers (automatic padding resolved).
struct conv_rule {
  shape_or_complaint result{};
  attributes attr{};
};

namespace detail {

TKL_TAGGED constexpr complaint need_image_and_filter(const shape& x, const shape& w) {
  complaint c;
  if (x.rank != 4)
    c << "input has shape " << x << " with " << x.rank << " axes, needs 4: batch, row, column, channel";
  else if (w.rank != 4)
    c << "weight has shape " << w << " with " << w.rank << " axes, needs 4";
  return c;
}

/// `in_channels`: channels of the weight's side that groups must divide besides the input's.
TKL_TAGGED constexpr complaint need_groups(std::int64_t groups, std::int64_t in_channels, std::int64_t out_channels) {
  complaint c;
  if (groups < 1 || groups > largest_attribute)
    c << "groups is " << groups << ", must be at least 1 and at most " << largest_attribute;
  else if (in_channels % groups != 0)
    c << "input has " << in_channels << " channels, not a multiple of groups " << groups;
  else if (out_channels % groups != 0)
    c << "weight has " << out_channels << " output channels, not a multiple of groups " << groups;
  return c;
}

TKL_TAGGED constexpr complaint need_method(conv_method m, const attributes& a) {
  complaint c;
  if (m != conv_method::winograd2 && m != conv_method::winograd4) return c;
  const auto need = [&](std::string_view what, const std::int32_t(&have)[2], std::int32_t needed) {
    if (c.empty() && (have[0] != needed || have[1] != needed))
      c << "method " << name_of(m) << " needs " << what << ' ' << needed << 'x' << needed << ", it is " << have[0]
        << 'x' << have[1];
  };
  need("kernel", a.kernel, 3);
  need("stride", a.stride, 1);
  need("dilation", a.dilation, 1);
  if (c.empty() && a.groups != 1) c << "method " << name_of(m) << " needs groups 1, groups is " << a.groups;
  return c;
}

template <class Params>
TKL_TAGGED constexpr window_axis axis_of(const Params& p, const shape& x, const shape& w, int axis) {
  return {x[1 + axis],        w[2 + axis],       p.stride[axis],  p.dilation[axis],
          p.pad.before(axis), p.pad.after(axis), p.pad.automatic, axis};
}

template <class Params>
TKL_TAGGED constexpr void keep_window(attributes& a, int axis, const Params& p, std::int64_t kernel,
                                      const window_extent& e) {
  a.kernel[axis] = static_cast<std::int32_t>(kernel);
  a.stride[axis] = static_cast<std::int32_t>(p.stride[axis]);
  a.dilation[axis] = static_cast<std::int32_t>(p.dilation[axis]);
  a.pad[axis] = static_cast<std::int32_t>(e.before);
  a.pad[2 + axis] = static_cast<std::int32_t>(e.after);
}

}  // namespace detail

/// Shape rule of conv2d: x [N, H, W, C], w [O, C / groups, kH, kW] -> [N, H', W', O].
TKL_TAGGED constexpr conv_rule conv2d_rule(const shape& x, const shape& w, const conv2d_params& p) {
  conv_rule r;
  complaint& error = r.result.error;
  error = detail::need_image_and_filter(x, w);
  if (!error.empty()) return r;
  error = detail::need_groups(p.groups, x[3], w[0]);
  if (!error.empty()) return r;
  if (x[3] / p.groups != w[1]) {
    error << "input has " << x[3] << " channels";
    if (p.groups != 1) error << " in " << p.groups << " groups of " << x[3] / p.groups;
    error << ", weight expects " << w[1];
    return r;
  }
  std::int64_t extent[2]{};
  for (int axis = 0; axis < 2; ++axis) {
    const window_extent e = conv_extent(detail::axis_of(p, x, w, axis));
    if (!e.ok()) {
      error = e.error;
      return r;
    }
    extent[axis] = e.extent;
    detail::keep_window(r.attr, axis, p, w[2 + axis], e);
  }
  r.attr.groups = static_cast<std::int32_t>(p.groups);
  r.attr.method = static_cast<std::uint8_t>(p.method);
  r.attr.chain = static_cast<std::uint8_t>(p.chain);
  error = detail::need_method(p.method, r.attr);
  if (!error.empty()) return r;
  r.result = checked_shape({x[0], extent[0], extent[1], w[0]});
  return r;
}

/// Shape rule of conv_transpose2d: x [N, H, W, C], w [C, O / groups, kH, kW] -> [N, H', W', O].
TKL_TAGGED constexpr conv_rule conv_transpose2d_rule(const shape& x, const shape& w, const conv_transpose2d_params& p) {
  conv_rule r;
  complaint& error = r.result.error;
  error = detail::need_image_and_filter(x, w);
  if (!error.empty()) return r;
  error = detail::need_groups(p.groups, x[3], 0);
  if (!error.empty()) return r;
  if (x[3] != w[0]) {
    error << "input has " << x[3] << " channels, weight expects " << w[0];
    return r;
  }
  std::int64_t extent[2]{};
  for (int axis = 0; axis < 2; ++axis) {
    const window_extent e = conv_transpose_extent(detail::axis_of(p, x, w, axis), p.output_pad[axis]);
    if (!e.ok()) {
      error = e.error;
      return r;
    }
    extent[axis] = e.extent;
    detail::keep_window(r.attr, axis, p, w[2 + axis], e);
    r.attr.output_pad[axis] = static_cast<std::int32_t>(e.output_pad);
  }
  const checked channels = checked(w[1]) * p.groups;
  if (!channels.valid) {
    error << "weight's " << w[1] << " output channels per group times groups " << p.groups << " leave 64 bits";
    return r;
  }
  r.attr.groups = static_cast<std::int32_t>(p.groups);
  r.result = checked_shape({x[0], extent[0], extent[1], channels.value});
  return r;
}

namespace detail {

constexpr value finish_conv(node_builder& b, value x, value w, const conv_rule& rule) {
  if (!rule.result.ok()) return b.fail(rule.result.error);
  complaint c = need_floating("input", x->type);
  if (c.empty()) c = need_same_type("input", x->type, "weight", w->type);
  if (c.empty() && b.made.inputs == 3) {
    const node& bias = b.owner->nodes[static_cast<std::size_t>(b.made.in[2])];
    c = need_vector("bias", bias.shape, rule.result.out[3], "output channels");
    if (c.empty()) c = need_same_type("input", x->type, "bias", bias.type);
  }
  if (!c.empty()) return b.fail(c);
  b.made.attr = rule.attr;
  return b.finish(x->type, rule.result);
}

}  // namespace detail

/// Convolution. x [N, H, W, C], w [O, C / groups, kH, kW].
constexpr value conv2d(value x, value w, const conv2d_params& p = {}) {
  node_builder b("conv2d", op_kind::conv2d, {x, w});
  if (b.silent) return b.none();
  return detail::finish_conv(b, x, w, conv2d_rule(x->shape, w->shape, p));
}
/// Convolution plus bias [O].
constexpr value conv2d(value x, value w, value bias, const conv2d_params& p = {}) {
  node_builder b("conv2d", op_kind::conv2d, {x, w, bias});
  if (b.silent) return b.none();
  return detail::finish_conv(b, x, w, conv2d_rule(x->shape, w->shape, p));
}

/// Transposed convolution. x [N, H, W, C], w [C, O / groups, kH, kW].
constexpr value conv_transpose2d(value x, value w, const conv_transpose2d_params& p = {}) {
  node_builder b("conv_transpose2d", op_kind::conv_transpose2d, {x, w});
  if (b.silent) return b.none();
  return detail::finish_conv(b, x, w, conv_transpose2d_rule(x->shape, w->shape, p));
}
/// Transposed convolution plus bias [O].
constexpr value conv_transpose2d(value x, value w, value bias, const conv_transpose2d_params& p = {}) {
  node_builder b("conv_transpose2d", op_kind::conv_transpose2d, {x, w, bias});
  if (b.silent) return b.none();
  return detail::finish_conv(b, x, w, conv_transpose2d_rule(x->shape, w->shape, p));
}

TKL_ISA_BEGIN

/// y[n, h, w, o] = bias[o] + sum over i, u, v of x[n, h * s + u * d - top, w * s + v * d - left, g * I + i] * w[o, i,
/// u, v] with g = o / (O / groups); outside x is 0 and is not multiplied.
inline void conv2d_definition(real_input x, real_input w, real_input bias, real_output y, const attributes& a) {
  const std::int64_t per_group = y.shape[3] / a.groups, in = w.shape[1];
  for (std::int64_t n = 0; n < y.shape[0]; ++n)
    for (std::int64_t h = 0; h < y.shape[1]; ++h)
      for (std::int64_t c = 0; c < y.shape[2]; ++c)
        for (std::int64_t o = 0; o < y.shape[3]; ++o) {
          const std::int64_t first = o / per_group * in;
          double sum = bias ? bias.data[o] : 0.0;
          for (std::int64_t u = 0; u < a.kernel[0]; ++u)
            for (std::int64_t v = 0; v < a.kernel[1]; ++v) {
              const std::int64_t row = h * a.stride[0] + u * a.dilation[0] - a.pad[0];
              const std::int64_t column = c * a.stride[1] + v * a.dilation[1] - a.pad[1];
              if (row < 0 || row >= x.shape[1] || column < 0 || column >= x.shape[2]) continue;
              for (std::int64_t i = 0; i < in; ++i) sum += x.at(n, row, column, first + i) * w.at(o, i, u, v);
            }
          y.at(n, h, c, o) = sum;
        }
}

/// Each input element adds its multiple of the filter to the result at h * s + u * d - top, w * s + v * d - left.
inline void conv_transpose2d_definition(real_input x, real_input w, real_input bias, real_output y,
                                        const attributes& a) {
  const std::int64_t out = w.shape[1], in = x.shape[3] / a.groups;
  const std::int64_t channels = y.shape[3], elements = y.shape.elements().value;
  for (std::int64_t k = 0; k < elements; ++k) y.data[k] = bias ? bias.data[k % channels] : 0.0;
  for (std::int64_t n = 0; n < x.shape[0]; ++n)
    for (std::int64_t h = 0; h < x.shape[1]; ++h)
      for (std::int64_t c = 0; c < x.shape[2]; ++c)
        for (std::int64_t i = 0; i < x.shape[3]; ++i)
          for (std::int64_t u = 0; u < a.kernel[0]; ++u)
            for (std::int64_t v = 0; v < a.kernel[1]; ++v) {
              const std::int64_t row = h * a.stride[0] + u * a.dilation[0] - a.pad[0];
              const std::int64_t column = c * a.stride[1] + v * a.dilation[1] - a.pad[1];
              if (row < 0 || row >= y.shape[1] || column < 0 || column >= y.shape[2]) continue;
              for (std::int64_t o = 0; o < out; ++o)
                y.at(n, row, column, i / in * out + o) += x.at(n, h, c, i) * w.at(i, o, u, v);
            }
}

TKL_ISA_END
}  // namespace tkl
