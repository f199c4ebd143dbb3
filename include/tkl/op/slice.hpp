// SPDX-License-Identifier: Apache-2.0
// Slices along one axis (negative steps included), reversal, and splitting into equal parts.
#pragma once

#include <array>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <vector>

namespace tkl {

/// `end` of a slice that goes through the last element (step above 0), or through the first one (step below 0).
inline constexpr std::int64_t to_last = (std::numeric_limits<std::int64_t>::max)();
inline constexpr std::int64_t to_first = (std::numeric_limits<std::int64_t>::min)();

/// First index and number of elements of a slice of `extent` elements: NumPy's rule. Negative begin and end count from
/// the end once, then both are clamped; what is empty has 0 elements.
struct slice_range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};
TKL_TAGGED constexpr slice_range slice_of(std::int64_t extent, std::int64_t begin, std::int64_t end,
                                          std::int64_t step) {
  const auto clamp = [&](std::int64_t index) {
    if (index < 0) index += extent;
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    return index < low ? low : index > high ? high : index;
  };
  const std::int64_t first = clamp(begin), last = clamp(end);
  slice_range r;
  if (step > 0 && last > first) r = {first, (last - first - 1) / step + 1};
  // Unsigned division: the magnitude of the step may be 2^63.
  if (step < 0 && first > last)
    r = {first, static_cast<std::int64_t>(static_cast<std::uint64_t>(first - last - 1) /
                                          (0 - static_cast<std::uint64_t>(step))) +
                    1};
  return r;
}

/// Shape rule of slice.
TKL_TAGGED constexpr shape_or_complaint slice_rule(const shape& x, int axis, std::int64_t begin, std::int64_t end,
                                                   std::int64_t step) {
  complaint c;
  const int at = normalise_axis(axis, x.rank);
  if (at < 0)
    c << "axis " << axis << " is out of range for shape " << x << " with " << x.rank << " axes";
  else if (step == 0)
    c << "axis " << at << ": step is 0, from " << begin << " to " << end;
  if (!c.empty()) return complain(c);
  shape out = x;
  out[at] = slice_of(x[at], begin, end, step).count;
  return checked_shape(out);
}

namespace detail {

constexpr value slice_as(std::string_view name, value x, int axis, std::int64_t begin, std::int64_t end,
                         std::int64_t step) {
  node_builder b(name, op_kind::slice, {x});
  if (b.silent) return b.none();
  const shape_or_complaint rule = slice_rule(x->shape, axis, begin, end, step);
  if (!rule.ok()) return b.fail(rule.error);
  const int at = normalise_axis(axis, x->shape.rank);
  for (int i = 0; i < x->shape.rank; ++i) b.made.attr.step[i] = 1;
  b.made.attr.begin[at] = slice_of(x->shape[at], begin, end, step).begin;
  b.made.attr.step[at] = step;
  return b.finish(x->type, rule);
}

}  // namespace detail

/// Elements begin, begin + step, ... before end along `axis`; NumPy's rule for negative numbers and clamping. With a
/// negative step, `to_first` as end includes element 0.
constexpr value slice(value x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  return detail::slice_as("slice", x, axis, begin, end, step);
}

/// x in reverse order along `axis`.
constexpr value flip(value x, int axis) {
  return detail::slice_as("flip", x, axis, -1, to_first, -1);
}

namespace detail {

constexpr bool split_fits(value x, int axis, std::int64_t parts) {
  node_builder b("split", op_kind::slice, {x});
  if (b.silent) return false;
  const int at = normalise_axis(axis, x->shape.rank);
  complaint c;
  if (at < 0)
    c << "axis " << axis << " is out of range for shape " << x->shape << " with " << x->shape.rank << " axes";
  else if (parts < 1)
    c << "parts is " << parts << ", must be at least 1";
  else if (x->shape[at] % parts != 0)
    c << "axis " << at << " has " << x->shape[at] << " elements, not a multiple of parts " << parts;
  if (!c.empty()) b.fail(c);
  return c.empty();
}

constexpr value part_of(value x, int axis, std::int64_t parts, std::int64_t index) {
  const int at = normalise_axis(axis, x->shape.rank);
  const std::int64_t extent = x->shape[at] / parts;
  return slice_as("split", x, at, index * extent, (index + 1) * extent, 1);
}

}  // namespace detail

/// x cut into equal parts along `axis`, in order. Their number is known to the compiler:
/// `auto [q, k, v] = split<3>(x, -1);`
template <int Parts>
requires(Parts > 0) constexpr std::array<value, Parts> split(value x, int axis) {
  std::array<value, Parts> all{};
  const bool fits = detail::split_fits(x, axis, Parts);
  for (int i = 0; i < Parts; ++i)
    all[static_cast<std::size_t>(i)] = fits ? detail::part_of(x, axis, Parts, i) : value{x.owner, -1};
  return all;
}
/// The same with a number of parts that is computed; on a mistake as many invalid values (none when parts is below 1).
constexpr std::vector<value> split(value x, int axis, int parts) {
  std::vector<value> all;
  if (parts > 0) all.reserve(static_cast<std::size_t>(parts));
  const bool fits = detail::split_fits(x, axis, parts);
  for (int i = 0; i < parts; ++i) all.push_back(fits ? detail::part_of(x, axis, parts, i) : value{x.owner, -1});
  return all;
}

TKL_ISA_BEGIN

/// y[i, ...] = x[begin + i * step, ...].
inline void slice_definition(real_input x, real_output y, const attributes& a) {
  const std::int64_t elements = y.shape.elements().value;
  place_counter place{y.shape};
  for (std::int64_t i = 0; i < elements; ++i, place.next()) {
    std::int64_t at = 0;
    for (int axis = 0; axis < y.shape.rank; ++axis)
      at = at * x.shape[axis] + a.begin[axis] + (place.index[axis] == 0 ? 0 : place.index[axis] * a.step[axis]);
    y.data[i] = x.data[at];
  }
}

TKL_ISA_END
}  // namespace tkl
