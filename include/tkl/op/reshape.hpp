// SPDX-License-Identifier: Apache-2.0
// Another shape for the same elements in the same (logical, row-major) order.
#pragma once

#include <tkl/config.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of reshape: equal element counts; one extent may be -1 and follows from the others.
TKL_TAGGED constexpr shape_or_complaint reshape_rule(const shape& x, const shape& extents) {
  complaint c;
  const std::int64_t elements = x.elements().value;
  shape out = extents;
  int open = -1;
  checked known = 1;
  for (int i = 0; i < extents.rank; ++i) {
    if (extents[i] == -1) {
      if (open >= 0) c << "axes " << open << " and " << i << " are both -1, only one may be";
      open = i;
    } else if (extents[i] < 0) {
      c << "axis " << i << " has extent " << extents[i] << ", must be at least 0, or -1 for what is left";
    } else {
      known = known * extents[i];
    }
    if (!c.empty()) return complain(c);
  }
  if (!known.valid) {
    c << "the extents " << extents << " have a product beyond 64 bits";
  } else if (open < 0) {
    if (known.value != elements)
      c << "input " << x << " has " << elements << " elements, the new shape " << extents << " has " << known.value;
  } else if (known.value == 0) {
    c << "the extent -1 of " << extents << " cannot follow: another extent is 0";
  } else if (elements % known.value != 0) {
    c << "input " << x << " has " << elements << " elements, not a multiple of " << known.value << " (" << extents
      << ')';
  } else {
    out[open] = elements / known.value;
  }
  return c.empty() ? checked_shape(out) : complain(c);
}

/// x with other extents: reshape(x, {1, -1, 120}).
constexpr value reshape(value x, const shape& extents) {
  node_builder b("reshape", op_kind::reshape, {x});
  if (b.silent) return b.none();
  return b.finish(x->type, reshape_rule(x->shape, extents));
}

}  // namespace tkl
