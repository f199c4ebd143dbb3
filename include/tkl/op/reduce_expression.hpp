// SPDX-License-Identifier: Apache-2.0
// Reductions of tensors as expressions. Definitions and shape rules: op/reduce.hpp.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/reduce.hpp>

namespace tkl {

/// The axes of a reduction, and whether they stay with extent 1.
struct reduce_arguments {
  axis_list axes{};
  reduce_params params{};
  constexpr bool operator==(const reduce_arguments&) const = default;
};

template <operand X, reduce_kind Kind, class P>
struct TKL_TAGGED reduce_operation : operation_base {
  static constexpr std::string_view name = [] {
    constexpr std::string_view names[] = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "argmax"};
    return names[static_cast<int>(Kind)];
  }();
  static constexpr reduce_kind kind = Kind;
  static constexpr bool is_static = X::is_static && P::is_static;
  static constexpr bool in_place = false;
  X x{};
  P params{};

  constexpr reduce_rule_result reduction() const {
    return reduce_rule(locate(x).extents, params.get().axes, Kind, params.get().params);
  }
  constexpr shape_or_complaint rule() const {
    const auto l = locate(x);
    complaint c = detail::input_error("input", l);
    if (c.empty() && l.extents.rank > 4)
      c << "input has shape " << l.extents << " with " << l.extents.rank << " axes, at most 4 are possible";
    return c.empty() ? reduction().result : complain(c);
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("input", x);
  }
};

namespace detail {

template <reduce_kind Kind, class X>
constexpr auto reduce_given(X&& x, const axis_list& axes, const reduce_params& p) {
  auto input = as_operand(std::forward<X>(x));
  return reduce_operation<decltype(input), Kind, given_params<reduce_arguments>>{{}, input, {{axes, p}}};
}
template <reduce_kind Kind, axis_list Axes, reduce_params P, class X>
constexpr auto reduce_fixed(X&& x) {
  auto input = as_operand(std::forward<X>(x));
  return reduce_operation<decltype(input), Kind, fixed_params<reduce_arguments{Axes, P}>>{{}, input, {}};
}

}  // namespace detail

/// Sum over the axes: reduce_sum(x, {1, 2}), or reduce_sum<axis_list{1, 2}>(x), which is checked when it is compiled.
template <operand_source X>
constexpr auto reduce_sum(X&& x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_given<reduce_kind::sum>(std::forward<X>(x), axes, p);
}
template <axis_list Axes, reduce_params P = reduce_params{}, operand_source X>
constexpr auto reduce_sum(X&& x) {
  return detail::reduce_fixed<reduce_kind::sum, Axes, P>(std::forward<X>(x));
}
/// Mean over the axes.
template <operand_source X>
constexpr auto reduce_mean(X&& x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_given<reduce_kind::mean>(std::forward<X>(x), axes, p);
}
template <axis_list Axes, reduce_params P = reduce_params{}, operand_source X>
constexpr auto reduce_mean(X&& x) {
  return detail::reduce_fixed<reduce_kind::mean, Axes, P>(std::forward<X>(x));
}
/// Largest element over the axes; NaN when there is one.
template <operand_source X>
constexpr auto reduce_max(X&& x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_given<reduce_kind::max>(std::forward<X>(x), axes, p);
}
template <axis_list Axes, reduce_params P = reduce_params{}, operand_source X>
constexpr auto reduce_max(X&& x) {
  return detail::reduce_fixed<reduce_kind::max, Axes, P>(std::forward<X>(x));
}
/// Smallest element over the axes; NaN when there is one.
template <operand_source X>
constexpr auto reduce_min(X&& x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_given<reduce_kind::min>(std::forward<X>(x), axes, p);
}
template <axis_list Axes, reduce_params P = reduce_params{}, operand_source X>
constexpr auto reduce_min(X&& x) {
  return detail::reduce_fixed<reduce_kind::min, Axes, P>(std::forward<X>(x));
}
/// Index of the largest element along one axis (the target has i32 elements): the first of equal ones, the first NaN.
template <operand_source X>
constexpr auto argmax(X&& x, int axis, const reduce_params& p = {}) {
  return detail::reduce_given<reduce_kind::argmax>(std::forward<X>(x), axis_list(axis), p);
}
template <axis_list Axis, reduce_params P = reduce_params{}, operand_source X>
constexpr auto argmax(X&& x) {
  static_assert(Axis.count == 1, "argmax takes one axis");
  return detail::reduce_fixed<reduce_kind::argmax, Axis, P>(std::forward<X>(x));
}

/// Mean over rows and columns: [N, H, W, C] -> [N, 1, 1, C].
template <operand_source X>
constexpr auto global_average_pool(X&& x) {
  static_assert(operand_of<X>::rank == 4, "global_average_pool takes four axes: batch, row, column, channel");
  return reduce_mean<axis_list{1, 2}>(std::forward<X>(x));
}
/// Largest element over rows and columns: [N, H, W, C] -> [N, 1, 1, C].
template <operand_source X>
constexpr auto global_max_pool(X&& x) {
  static_assert(operand_of<X>::rank == 4, "global_max_pool takes four axes: batch, row, column, channel");
  return reduce_max<axis_list{1, 2}>(std::forward<X>(x));
}

}  // namespace tkl
