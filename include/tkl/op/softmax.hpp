// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax over the last axis.
#pragma once

#include <cmath>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of softmax: the input's shape; at least one axis, and `axis` is the last.
TKL_TAGGED constexpr shape_or_complaint softmax_rule(const shape& x, int axis) {
  complaint c;
  if (x.rank < 1)
    c << "input is a scalar, needs at least 1 axis";
  else if (normalise_axis(axis, x.rank) < 0)
    c << "axis " << axis << " is out of range for shape " << x << " with " << x.rank << " axes";
  else if (normalise_axis(axis, x.rank) != x.rank - 1)
    c << "axis " << axis << " is not the last of shape " << x << ": transpose it to the end first";
  return c.empty() ? checked_shape(x) : complain(c);
}

namespace detail {

constexpr value softmax_as(std::string_view name, value x, int axis, bool logarithm) {
  node_builder b(name, op_kind::softmax, {x});
  if (b.silent) return b.none();
  const shape_or_complaint rule = softmax_rule(x->shape, axis);
  if (!rule.ok()) return b.fail(rule.error);
  const complaint c = need_floating("input", x->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.mode = logarithm ? 1 : 0;
  return b.finish(x->type, rule);
}

}  // namespace detail

/// e^x over the sum of e^x along the last axis. A row of -infinity, a row with NaN or with +infinity is NaN throughout.
constexpr value softmax(value x, int axis = -1) {
  return detail::softmax_as("softmax", x, axis, false);
}
/// The logarithm of softmax, without forming it.
constexpr value log_softmax(value x, int axis = -1) {
  return detail::softmax_as("log_softmax", x, axis, true);
}

TKL_ISA_BEGIN

/// Per row: the maximum, the sum of e^(x - maximum), then e^(x - maximum) / sum, or x - maximum - log(sum).
inline void softmax_definition(real_input x, real_output y, const attributes& a) {
  const std::int64_t columns = x.shape.back(0);
  const std::int64_t rows = columns == 0 ? 0 : x.shape.elements().value / columns;
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* in = x.data + r * columns;
    double* out = y.data + r * columns;
    double largest = in[0], sum = 0;
    for (std::int64_t i = 1; i < columns; ++i) largest = in[i] > largest || in[i] != in[i] ? in[i] : largest;
    for (std::int64_t i = 0; i < columns; ++i) sum += std::exp(in[i] - largest);
    for (std::int64_t i = 0; i < columns; ++i)
      out[i] = a.mode == 1 ? in[i] - largest - std::log(sum) : std::exp(in[i] - largest) / sum;
  }
}

TKL_ISA_END
}  // namespace tkl
