// SPDX-License-Identifier: Apache-2.0
// Batch normalisation (inference form) over the last axis' channels, and layer normalisation of the last axis.
#pragma once

#include <array>
#include <cmath>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Attribute of both: what is added to the variance before the square root.
struct normalise_params {
  double eps = 1e-5;
  constexpr bool operator==(const normalise_params&) const = default;
};
using batch_norm_params = normalise_params;
using layer_norm_params = normalise_params;

namespace detail {

TKL_TAGGED constexpr complaint need_eps(double eps) {
  complaint c;
  if (!(eps >= 0)) c << "eps is " << eps << ", must be at least 0";
  return c;
}

}  // namespace detail

/// Shape rule of batch_norm: x [..., C]; scale, offset, mean, variance [C] -> x's shape.
TKL_TAGGED constexpr shape_or_complaint batch_norm_rule(const shape& x, const shape& scale, const shape& offset,
                                                        const shape& mean, const shape& variance,
                                                        const batch_norm_params& p) {
  complaint c = detail::need_eps(p.eps);
  if (c.empty() && x.rank < 1) c << "input is a scalar, needs at least 1 axis";
  if (c.empty()) c = need_vector("scale", scale, x.back(0), "channels of the input");
  if (c.empty()) c = need_vector("offset", offset, x.back(0), "channels of the input");
  if (c.empty()) c = need_vector("mean", mean, x.back(0), "channels of the input");
  if (c.empty()) c = need_vector("variance", variance, x.back(0), "channels of the input");
  return c.empty() ? checked_shape(x) : complain(c);
}

/// Shape rule of layer_norm: x [..., C], scale and offset [C] -> x's shape. C is at least 1.
TKL_TAGGED constexpr shape_or_complaint layer_norm_rule(const shape& x, const layer_norm_params& p) {
  complaint c = detail::need_eps(p.eps);
  if (c.empty() && x.rank < 1) c << "input is a scalar, needs at least 1 axis";
  if (c.empty() && x.back(0) == 0) c << "the last axis of shape " << x << " has 0 elements: its mean is undefined";
  return c.empty() ? checked_shape(x) : complain(c);
}

/// (x - mean) / sqrt(variance + eps) * scale + offset per channel.
constexpr value batch_norm(value x, value scale, value offset, value mean, value variance,
                           const batch_norm_params& p = {}) {
  node_builder b("batch_norm", op_kind::batch_norm, {x, scale, offset, mean, variance});
  if (b.silent) return b.none();
  const shape_or_complaint rule =
      batch_norm_rule(x->shape, scale->shape, offset->shape, mean->shape, variance->shape, p);
  if (!rule.ok()) return b.fail(rule.error);
  complaint c = need_floating("input", x->type);
  if (c.empty()) c = need_same_type("input", x->type, "scale", scale->type);
  if (c.empty()) c = need_same_type("input", x->type, "offset", offset->type);
  if (c.empty()) c = need_same_type("input", x->type, "mean", mean->type);
  if (c.empty()) c = need_same_type("input", x->type, "variance", variance->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.real[0] = p.eps;
  return b.finish(x->type, rule);
}

/// (x - m) / sqrt(v + eps) along the last axis, m and v its mean and population variance.
constexpr value layer_norm(value x, const layer_norm_params& p = {}) {
  node_builder b("layer_norm", op_kind::layer_norm, {x});
  if (b.silent) return b.none();
  const shape_or_complaint rule = layer_norm_rule(x->shape, p);
  if (!rule.ok()) return b.fail(rule.error);
  const complaint c = need_floating("input", x->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.real[0] = p.eps;
  return b.finish(x->type, rule);
}
/// The same, times scale [C] plus offset [C].
constexpr value layer_norm(value x, value scale, value offset, const layer_norm_params& p = {}) {
  node_builder b("layer_norm", op_kind::layer_norm, {x, scale, offset});
  if (b.silent) return b.none();
  const shape_or_complaint rule = layer_norm_rule(x->shape, p);
  complaint c = rule.error;
  if (c.empty()) c = need_vector("scale", scale->shape, x->shape.back(0), "columns of the input");
  if (c.empty()) c = need_vector("offset", offset->shape, x->shape.back(0), "columns of the input");
  if (c.empty()) c = need_floating("input", x->type);
  if (c.empty()) c = need_same_type("input", x->type, "scale", scale->type);
  if (c.empty()) c = need_same_type("input", x->type, "offset", offset->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.real[0] = p.eps;
  return b.finish(x->type, rule);
}

TKL_ISA_BEGIN

/// y[..., c] = (x[..., c] - mean[c]) / sqrt(variance[c] + eps) * scale[c] + offset[c].
inline void batch_norm_definition(real_input x, const std::array<real_input, 4>& statistics, real_output y,
                                  const attributes& a) {
  const auto& [scale, offset, mean, variance] = statistics;
  const std::int64_t channels = x.shape.back(0), elements = x.shape.elements().value;
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t c = i % channels;
    y.data[i] = (x.data[i] - mean.data[c]) / std::sqrt(variance.data[c] + a.real[0]) * scale.data[c] + offset.data[c];
  }
}

/// Per row: the mean, the mean of squared differences from it, then the scaled differences.
inline void layer_norm_definition(real_input x, real_input scale, real_input offset, real_output y,
                                  const attributes& a) {
  const std::int64_t columns = x.shape.back(0), rows = x.shape.elements().value / columns;
  const double count = static_cast<double>(columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* in = x.data + r * columns;
    double* out = y.data + r * columns;
    double mean = 0, variance = 0;
    for (std::int64_t i = 0; i < columns; ++i) mean += in[i];
    mean /= count;
    for (std::int64_t i = 0; i < columns; ++i) variance += (in[i] - mean) * (in[i] - mean);
    const double root = std::sqrt(variance / count + a.real[0]);
    for (std::int64_t i = 0; i < columns; ++i) {
      out[i] = (in[i] - mean) / root;
      if (scale) out[i] = out[i] * scale.data[i] + offset.data[i];
    }
  }
}

TKL_ISA_END
}  // namespace tkl
