// SPDX-License-Identifier: Apache-2.0
// A constant border around a tensor.
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of pad: before[i] + extent + after[i] along each axis; one number per axis, none negative.
TKL_TAGGED constexpr shape_or_complaint pad_rule(const shape& x, const shape& before, const shape& after) {
  complaint c;
  if (before.rank != x.rank || after.rank != x.rank) {
    c << "before has " << before.rank << " and after " << after.rank << " numbers, the input has " << x.rank << " axes";
    return complain(c);
  }
  shape out = x;
  for (int i = 0; i < x.rank; ++i) {
    const checked extent = checked(x[i]) + before[i] + after[i];
    if (before[i] < 0 || after[i] < 0)
      c << "axis " << i << ": pads " << before[i] << " and " << after[i] << " must not be negative (slice cuts)";
    else if (!extent.valid)
      c << "axis " << i << ": extent " << x[i] << " with pads " << before[i] << " and " << after[i]
        << " leaves 64 bits";
    if (!c.empty()) return complain(c);
    out[i] = extent.value;
  }
  return checked_shape(out);
}

/// x inside a border of `fill`. `before`, `after`: elements along each axis, outermost first: pad(x, {0, 1, 1, 0}, {0,
/// 1, 1, 0}).
constexpr value pad(value x, const shape& before, const shape& after, double fill = 0) {
  node_builder b("pad", op_kind::pad, {x});
  if (b.silent) return b.none();
  const shape_or_complaint rule = pad_rule(x->shape, before, after);
  if (!rule.ok()) return b.fail(rule.error);
  if (!is_floating(x->type)) {
    const double least = x->type == element::i8 ? -128 : x->type == element::u8 ? 0 : -2147483648.0;
    const double most = x->type == element::i8 ? 127 : x->type == element::u8 ? 255 : 2147483647.0;
    if (!(fill >= least && fill <= most) || static_cast<double>(static_cast<std::int64_t>(fill)) != fill)
      return b.fail(complaint{} << "the value is " << fill << ", " << name_of(x->type) << " holds whole numbers from "
                                << least << " to " << most);
  }
  for (int i = 0; i < x->shape.rank; ++i) {
    b.made.attr.begin[i] = before[i];
    b.made.attr.end[i] = after[i];
  }
  b.made.attr.real[0] = fill;
  return b.finish(x->type, rule);
}

TKL_ISA_BEGIN

/// y = fill, then x at the place `begin`.
inline void pad_definition(real_input x, real_output y, const attributes& a) {
  const std::int64_t elements = y.shape.elements().value, inside = x.shape.elements().value;
  for (std::int64_t i = 0; i < elements; ++i) y.data[i] = a.real[0];
  place_counter place{x.shape};
  for (std::int64_t i = 0; i < inside; ++i, place.next()) {
    std::int64_t at = 0;
    for (int axis = 0; axis < y.shape.rank; ++axis) at = at * y.shape[axis] + a.begin[axis] + place.index[axis];
    y.data[at] = x.data[i];
  }
}

TKL_ISA_END
}  // namespace tkl
