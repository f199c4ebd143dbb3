// SPDX-License-Identifier: Apache-2.0
// Concatenation along one axis.
#pragma once

#include <concepts>
#include <span>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Shape rule of concat: all extents but the axis' own are equal; the axis' extents add. Empty operands are allowed.
TKL_TAGGED constexpr shape_or_complaint concat_rule(const shape* operands, int count, int axis) {
  complaint c;
  shape out = operands[0];
  const int at = normalise_axis(axis, out.rank);
  if (at < 0) {
    c << "axis " << axis << " is out of range for shape " << out << " with " << out.rank << " axes";
    return complain(c);
  }
  checked extent = out[at];
  for (int i = 1; i < count; ++i) {
    const shape& s = operands[i];
    if (s.rank != out.rank) {
      c << "operand " << i << " has shape " << s << " with " << s.rank << " axes, operand 0 has " << out.rank;
      return complain(c);
    }
    for (int k = 0; k < out.rank; ++k)
      if (k != at && s[k] != out[k]) {
        c << "axis " << k << ": operand " << i << " has " << s[k] << ", operand 0 has " << out[k]
          << " (joined along axis " << at << ')';
        return complain(c);
      }
    const checked sum = extent + s[at];
    if (!sum.valid) {
      c << "axis " << at << ": " << s[at] << " of operand " << i << " after " << extent.value << " leave 64 bits";
      return complain(c);
    }
    extent = sum;
  }
  out[at] = extent.value;
  return checked_shape(out);
}

/// The values one after another along `axis` (negative: from the end); at most eight.
constexpr value concat(int axis, std::span<const value> values) {
  if (values.empty()) return {};
  node_builder b("concat", op_kind::concat, values.data(), static_cast<int>(values.size()));
  if (b.silent) return b.none();
  if (values.size() > static_cast<std::size_t>(max_inputs))
    return b.fail(complaint{} << values.size() << " operands, at most " << max_inputs << " are possible");
  shape shapes[max_inputs]{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    shapes[i] = values[i]->shape;
    if (values[i]->type != values[0]->type)
      return b.fail(complaint{} << "operand 0 is " << name_of(values[0]->type) << ", operand " << i << " is "
                                << name_of(values[i]->type) << ": cast one of them");
  }
  const shape_or_complaint rule = concat_rule(shapes, static_cast<int>(values.size()), axis);
  if (!rule.ok()) return b.fail(rule.error);
  b.made.attr.axis = normalise_axis(axis, rule.out.rank);
  return b.finish(values[0]->type, rule);
}
template <std::same_as<value>... Values>
requires(sizeof...(Values) > 0) constexpr value concat(int axis, Values... values) {
  const value all[] = {values...};
  return concat(axis, std::span<const value>(all));
}

TKL_ISA_BEGIN

/// For each operand: its elements go to y at an offset along the axis.
inline void concat_definition(const real_input* operands, int count, real_output y, const attributes& a) {
  std::int64_t outer = 1, inner = 1, offset = 0;
  for (int i = 0; i < a.axis; ++i) outer *= y.shape[i];
  for (int i = a.axis + 1; i < y.shape.rank; ++i) inner *= y.shape[i];
  const std::int64_t pitch = y.shape[a.axis] * inner;
  for (int k = 0; k < count; ++k) {
    const std::int64_t run = operands[k].shape[a.axis] * inner;
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < run; ++i) y.data[o * pitch + offset + i] = operands[k].data[o * run + i];
    offset += run;
  }
}

TKL_ISA_END
}  // namespace tkl
