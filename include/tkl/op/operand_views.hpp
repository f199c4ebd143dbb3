// SPDX-License-Identifier: Apache-2.0
// Slices, reversals, permutations of axes and new shapes of tensors in memory: no element moves, and the result is an
// operand like any other (an argument of an op, a part of an expression, the target of assign).
//
// With parameters as arguments (slice(x, 1, 0, 4)) mistakes are found when the expression is assigned; with parameters
// as template arguments (slice<slice_params{.axis = 1, .end = 4}>(x)) when the program is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/op/operand.hpp>
#include <tkl/op/reshape.hpp>
#include <tkl/op/slice.hpp>
#include <tkl/op/transpose.hpp>

namespace tkl {

/// Elements begin, begin + step, ... before end along an axis; NumPy's rule (op/slice.hpp).
struct slice_params {
  int axis = 0;
  std::int64_t begin = 0;
  std::int64_t end = to_last;
  std::int64_t step = 1;
  template <int Source>
  static constexpr int rank_from = Source;

  template <class T>
  TKL_TAGGED constexpr void apply(located<T>& l) const {
    const shape_or_complaint rule = slice_rule(l.extents, axis, begin, end, step);
    if (!rule.ok()) {
      l.error << "slice: " << rule.error.view();
      return;
    }
    const int at = normalise_axis(axis, l.extents.rank);
    checked offset = l.offset, by = l.steps[at];
    if (rule.out[at] > 0) offset = offset + by * slice_of(l.extents[at], begin, end, step).begin;
    if (rule.out[at] > 1) by = by * step;
    if (!offset.valid || !by.valid) {
      l.error << "slice: axis " << at << " of shape " << l.extents << " steps by " << l.steps[at] << " elements: begin "
              << begin << " or step " << step << " leads beyond 64 bits";
      return;
    }
    l.offset = offset.value;
    l.steps[at] = by.value;
    l.extents = rule.out;
  }
};

/// Axis i of the result is axis permutation[i] of the source.
struct transpose_params {
  axis_list permutation{};
  template <int Source>
  static constexpr int rank_from = Source;

  template <class T>
  TKL_TAGGED constexpr void apply(located<T>& l) const {
    const shape_or_complaint rule = transpose_rule(l.extents, permutation);
    if (!rule.ok()) {
      l.error << "transpose: " << rule.error.view();
      return;
    }
    const axis_steps from = l.steps;
    for (int i = 0; i < l.extents.rank; ++i) l.steps[i] = from[normalise_axis(permutation.axis[i], l.extents.rank)];
    l.extents = rule.out;
  }
};

/// The same elements in the same order with other extents, of which one may be -1.
template <int Rank>
struct reshape_params {
  std::int64_t extent[Rank > 0 ? Rank : 1]{};  // NOLINT(bugprone-branch-clone): the same for rank 1
  template <int>
  static constexpr int rank_from = Rank;

  template <class T>
  TKL_TAGGED constexpr void apply(located<T>& l) const {
    shape wanted;
    for (int i = 0; i < Rank; ++i) wanted[wanted.rank++] = extent[i];
    const shape_or_complaint rule = reshape_rule(l.extents, wanted);
    const axis_steps without_gaps = packed_steps(l.extents);
    if (!rule.ok()) l.error << "reshape: " << rule.error.view();
    for (int i = 0; i < l.extents.rank && l.error.empty(); ++i)
      if (l.extents[i] > 1 && l.steps[i] != without_gaps[i] && l.extents.elements().value > 0)
        l.error << "reshape: the input " << l.extents << " is not in row-major order without gaps: axis " << i
                << " steps by " << l.steps[i] << " elements, not " << without_gaps[i];
    if (!l.error.empty()) return;
    l.extents = rule.out;
    l.steps = packed_steps(rule.out);
  }
};

namespace detail {

template <class P, class X>
constexpr auto rearrange(X&& x, const P& params = {}) {
  auto source = as_operand(std::forward<X>(x));
  return rearranged<decltype(source), P>{source, params};
}

}  // namespace detail

/// Part of a tensor along one axis.
template <operand_source X>
constexpr auto slice(X&& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  return detail::rearrange<given_params<slice_params>>(std::forward<X>(x), {slice_params{axis, begin, end, step}});
}
template <slice_params P, operand_source X>
constexpr auto slice(X&& x) {
  return detail::rearrange<fixed_params<P>>(std::forward<X>(x));
}

/// A tensor in reverse order along one axis.
template <operand_source X>
constexpr auto flip(X&& x, int axis) {
  return slice(std::forward<X>(x), axis, -1, to_first, -1);
}

/// A tensor with its axes permuted.
template <operand_source X>
constexpr auto transpose(X&& x, const axis_list& permutation) {
  return detail::rearrange<given_params<transpose_params>>(std::forward<X>(x), {transpose_params{permutation}});
}
template <axis_list Permutation, operand_source X>
constexpr auto transpose(X&& x) {
  return detail::rearrange<fixed_params<transpose_params{Permutation}>>(std::forward<X>(x));
}

/// A tensor with other extents: reshape(x, {2, -1}).
template <operand_source X, std::size_t Rank>
constexpr auto reshape(X&& x, const std::int64_t (&extents)[Rank]) {
  reshape_params<static_cast<int>(Rank)> p;
  for (std::size_t i = 0; i < Rank; ++i) p.extent[i] = extents[i];
  return detail::rearrange<given_params<reshape_params<static_cast<int>(Rank)>>>(std::forward<X>(x), {p});
}
/// The same with extents that are template arguments: reshape<2, -1>(x).
template <std::int64_t... Extents, operand_source X>
requires(sizeof...(Extents) > 0) constexpr auto reshape(X&& x) {
  return detail::rearrange<fixed_params<reshape_params<static_cast<int>(sizeof...(Extents))>{{Extents...}}>>(
      std::forward<X>(x));
}

}  // namespace tkl
