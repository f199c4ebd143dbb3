// SPDX-License-Identifier: Apache-2.0
// What attributes are written with: pairs, paddings and axis lists that convert from the forms people use.
//
// All of them are structural, so that a params struct may be a function argument or a template argument.
#pragma once

#include <cstdint>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/core/number_text.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/core/text.hpp>

namespace tkl {

/// Marks an attribute that was not written; its op says what then holds.
inline constexpr std::int64_t unset = (std::numeric_limits<std::int64_t>::min)();

/// One number per spatial axis: `2` is both, `{2, 1}` is rows, columns.
struct pair2 {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  constexpr pair2() = default;
  constexpr pair2(std::int64_t both) : rows(both), columns(both) {}  // NOLINT(google-explicit-constructor)
  constexpr pair2(std::int64_t r, std::int64_t c) : rows(r), columns(c) {}
  constexpr bool operator==(const pair2&) const = default;
  constexpr std::int64_t operator[](int axis) const { return axis == 0 ? rows : columns; }
};

/// One real number per spatial axis.
struct real2 {
  double rows = 0;
  double columns = 0;
  constexpr real2() = default;
  constexpr real2(double both) : rows(both), columns(both) {}  // NOLINT(google-explicit-constructor)
  constexpr real2(double r, double c) : rows(r), columns(c) {}
  constexpr bool operator==(const real2&) const = default;
  constexpr double operator[](int axis) const { return axis == 0 ? rows : columns; }
};

/// Padding that follows from the extents: `same` gives ceil(input / stride) outputs, the odd element of padding at the
/// end (upper) or at the beginning (lower); `valid` is none. ONNX auto_pad, TensorFlow padding.
enum class auto_pad : std::uint8_t { given, same_upper, same_lower, valid };
inline constexpr auto_pad same_upper = auto_pad::same_upper;
inline constexpr auto_pad same_lower = auto_pad::same_lower;
inline constexpr auto_pad same = auto_pad::same_upper;
inline constexpr auto_pad valid = auto_pad::valid;

/// Padding of the two spatial axes: `1` is all sides, `{1, 0}` is rows, columns (both sides), `{1, 1, 0, 1}` is top,
/// left, bottom, right; or `same`, `same_lower`, `valid`.
struct sides4 {
  std::int64_t top = 0;
  std::int64_t left = 0;
  std::int64_t bottom = 0;
  std::int64_t right = 0;
  auto_pad automatic = auto_pad::given;
  constexpr sides4() = default;
  constexpr sides4(std::int64_t all)
      : top(all), left(all), bottom(all), right(all) {}  // NOLINT(google-explicit-constructor)
  constexpr sides4(std::int64_t rows, std::int64_t columns) : top(rows), left(columns), bottom(rows), right(columns) {}
  constexpr sides4(std::int64_t t, std::int64_t l, std::int64_t b, std::int64_t r)
      : top(t), left(l), bottom(b), right(r) {}
  constexpr sides4(auto_pad rule) : automatic(rule) {}  // NOLINT(google-explicit-constructor)
  constexpr bool operator==(const sides4&) const = default;
  constexpr std::int64_t before(int axis) const { return axis == 0 ? top : left; }
  constexpr std::int64_t after(int axis) const { return axis == 0 ? bottom : right; }
};

/// Axes of a tensor, negative ones counted from the end: `1`, or `{1, 2}`; up to six.
struct axis_list {
  int axis[max_rank]{};
  int count = 0;
  constexpr axis_list() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && sizeof...(A) <= max_rank) constexpr axis_list(A... a)
      : axis{static_cast<int>(a)...}, count(static_cast<int>(sizeof...(A))) {}  // NOLINT
  constexpr bool operator==(const axis_list&) const = default;
};

/// What is wrong with an op's operands, without the op's name; empty when nothing is.
using complaint = text<200>;

/// A shape rule's answer: the extents of the result, or a complaint.
struct shape_or_complaint {
  shape out{};
  complaint error{};
  constexpr bool ok() const { return error.empty(); }
};

TKL_TAGGED constexpr shape_or_complaint complain(const complaint& c) {
  shape_or_complaint r;
  r.error = c;
  return r;
}

/// Checks that the result's element count fits 64 bits.
TKL_TAGGED constexpr shape_or_complaint checked_shape(const shape& s) {
  shape_or_complaint r;
  r.out = s;
  if (!s.elements().valid) r.error << "the result's extents " << s << " have a product beyond 64 bits";
  return r;
}

}  // namespace tkl
