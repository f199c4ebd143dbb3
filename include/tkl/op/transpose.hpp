// SPDX-License-Identifier: Apache-2.0
// Permutation of axes.
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of transpose: every axis stands in the permutation once.
TKL_TAGGED constexpr shape_or_complaint transpose_rule(const shape& x, const axis_list& permutation) {
  complaint c;
  if (permutation.count != x.rank) {
    c << "the permutation has " << permutation.count << " axes, the input has " << x.rank << " (" << x << ')';
    return complain(c);
  }
  shape out = x;
  unsigned seen = 0;
  for (int i = 0; i < x.rank; ++i) {
    const int axis = normalise_axis(permutation.axis[i], x.rank);
    if (axis < 0)
      c << "axis " << permutation.axis[i] << " is out of range for shape " << x << " with " << x.rank << " axes";
    else if (seen >> axis & 1u)
      c << "axis " << axis << " stands in the permutation twice";
    if (!c.empty()) return complain(c);
    seen |= 1u << axis;
    out[i] = x[axis];
  }
  return checked_shape(out);
}

/// Axis i of the result is axis permutation[i] of x: transpose(x, {0, 2, 1}).
constexpr value transpose(value x, const axis_list& permutation) {
  node_builder b("transpose", op_kind::transpose, {x});
  if (b.silent) return b.none();
  const shape_or_complaint rule = transpose_rule(x->shape, permutation);
  if (!rule.ok()) return b.fail(rule.error);
  for (int i = 0; i < x->shape.rank; ++i)
    b.made.attr.permutation[i] = normalise_axis(permutation.axis[i], x->shape.rank);
  return b.finish(x->type, rule);
}

TKL_ISA_BEGIN

/// y[i0, i1, ...] = x at the index whose axis permutation[k] is ik.
inline void transpose_definition(real_input x, real_output y, const attributes& a) {
  const std::int64_t elements = y.shape.elements().value;
  std::int64_t stride[max_rank]{}, step = 1;
  for (int i = x.shape.rank - 1; i >= 0; --i) stride[i] = step, step *= x.shape[i];
  place_counter place{y.shape};
  for (std::int64_t i = 0; i < elements; ++i, place.next()) {
    std::int64_t at = 0;
    for (int axis = 0; axis < y.shape.rank; ++axis) at += place.index[axis] * stride[a.permutation[axis]];
    y.data[i] = x.data[at];
  }
}

TKL_ISA_END
}  // namespace tkl
