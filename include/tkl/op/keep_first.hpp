// SPDX-License-Identifier: Apache-2.0
// Keeps the first elements along an axis and sets the rest to zero; how many is known only when the model runs: the
// used part of a padded picture or sequence.
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of keep_first: the count has one element.
TKL_TAGGED constexpr shape_or_complaint keep_first_rule(const shape& x, const shape& count, int axis) {
  complaint c;
  if (normalise_axis(axis, x.rank) < 0)
    c << "axis " << axis << " is out of range for shape " << x << " with " << x.rank << " axes";
  else if (!count.elements().valid || count.elements().value != 1)
    c << "count has shape " << count << ", needs 1 element";
  return c.empty() ? checked_shape(x) : complain(c);
}

/// x where its index along `axis` is below count, 0 elsewhere (also where x is NaN). count: i32, one element; below 0
/// counts as 0, above the extent as the extent.
constexpr value keep_first(value x, value count, int axis) {
  node_builder b("keep_first", op_kind::keep_first, {x, count});
  if (b.silent) return b.none();
  const shape_or_complaint rule = keep_first_rule(x->shape, count->shape, axis);
  if (!rule.ok()) return b.fail(rule.error);
  if (count->type != element::i32) return b.fail(complaint{} << "count is " << name_of(count->type) << ", needs i32");
  b.made.attr.axis = normalise_axis(axis, x->shape.rank);
  return b.finish(x->type, rule);
}

TKL_ISA_BEGIN

/// y = index along the axis < count ? x : 0.
inline void keep_first_definition(real_input x, real_input count, real_output y, const attributes& a) {
  const std::int64_t elements = y.shape.elements().value;
  place_counter place{y.shape};
  for (std::int64_t i = 0; i < elements; ++i, place.next())
    y.data[i] = static_cast<double>(place.index[a.axis]) < count.data[0] ? x.data[i] : 0.0;
}

TKL_ISA_END
}  // namespace tkl
