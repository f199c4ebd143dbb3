// SPDX-License-Identifier: Apache-2.0
// From an expression of tensors to one that a kernel evaluates: each operand becomes a node with strides over the four
// axes of a kernel, the operation becomes acc.
//
// evaluator<Operation> says how an operation runs (one specialisation per op, in exec/evaluate_*.hpp):
//   mistake<Target, S...>(op)                  what the kernel cannot do, beyond the shape rule; empty when all is well
//   scratch<Target, S...>(op, y, workers)      bytes of scratch memory
//   run<Target, S...>(op, y, expression, frame, target, scratch)
// S: nothing, or the schedule that the caller chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/checks.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/schedule/gemm.hpp>
#include <type_traits>

namespace tkl {

/// Where the axes of a result stand among the four axes of a kernel.
struct result_frame {
  int rank = 0;
  int kernel_axis[max_rank]{};      // of result axis i
  std::int64_t origin[max_rank]{};  // index along result axis i at which the kernel's index is 0

  constexpr result_frame() = default;
  /// The last axes of the kernel are those of the result.
  constexpr explicit result_frame(int result_rank) : rank(result_rank) {
    for (int i = 0; i < rank; ++i) kernel_axis[i] = 4 - rank + i;
  }
};

/// Four extents and strides of a tensor seen through a frame.
struct axes4 {
  std::int64_t extent[4]{1, 1, 1, 1};
  std::int64_t step[4]{0, 0, 0, 1};
  constexpr strided_shape outer() const {
    return {{extent[0], extent[1], extent[2], extent[3]}, {step[0], step[1], step[2]}};
  }
};
template <class T>
TKL_TAGGED constexpr axes4 axes_of(const located<T>& l, const result_frame& f) {
  axes4 a;
  for (int i = 0; i < l.extents.rank; ++i) {
    a.extent[f.kernel_axis[i]] = l.extents[i];
    a.step[f.kernel_axis[i]] = l.steps[i];
  }
  if (a.extent[3] == 1) a.step[3] = 1;
  return a;
}
template <class T>
TKL_TAGGED constexpr axes4 axes_of(const located<T>& l) {
  return axes_of(l, result_frame(l.extents.rank));
}

TKL_ISA_BEGIN
namespace impl {

template <class Operation>
struct evaluator;

template <class T>
T* first_element(const located<T>& l) {
  return l.data == nullptr ? nullptr : l.data + l.offset;
}
/// The same elements, read only.
template <class T>
located<const T> as_read_only(const located<T>& l) {
  return {l.data, l.offset, l.extents, l.steps, l.error};
}
template <class T>
strided4<T> strided_view_of(const located<T>& l, const result_frame& f) {
  return {first_element(l), axes_of(l, f).outer()};
}
template <class T>
strided4<T> strided_view_of(const located<T>& l) {
  return strided_view_of(l, result_frame(l.extents.rank));
}

/// An operand's first element and its strides over the kernel's axes, 0 where it is broadcast.
template <class T>
struct leaf_place {
  const T* data = nullptr;
  std::int64_t step[4]{};
};
template <class T>
leaf_place<std::remove_const_t<T>> place_leaf(const located<T>& l, const result_frame& f) {
  leaf_place<std::remove_const_t<T>> p{first_element(l), {}};
  for (int i = 0; i < l.extents.rank; ++i) {
    const int axis = f.rank - l.extents.rank + i;
    if (l.extents[i] == 1) continue;
    p.step[f.kernel_axis[axis]] = l.steps[i];
    p.data += f.origin[axis] * l.steps[i];
  }
  return p;
}

enum class node_kind { scalar, row, channel, element, strided };

/// The cheapest node that an operand can be, as far as its type tells. Direct: the result's last axis is the kernel's.
template <operand X, bool Direct>
inline constexpr node_kind kind_of_leaf = [] {
  constexpr shape s = declared_extents<X>;
  bool outer_ones = true;
  for (int i = 0; i < s.rank - 1; ++i) outer_ones = outer_ones && s[i] == 1;
  const std::int64_t columns = s.back(0);
  if (s.rank == 0 || (outer_ones && columns == 1)) return node_kind::scalar;
  if (!Direct || columns == dyn) return node_kind::strided;
  if (columns == 1) return node_kind::row;
  if (!has_unit_columns<X>) return node_kind::strided;
  return outer_ones ? node_kind::channel : node_kind::element;
}();

template <node_kind Kind, class T>
auto node_at(const leaf_place<T>& p) {
  if constexpr (Kind == node_kind::scalar) {
    return scalar_node<T>{{}, p.data};
  } else if constexpr (Kind == node_kind::row) {
    return row_node<T>{{}, p.data, {p.step[0], p.step[1], p.step[2]}};
  } else if constexpr (Kind == node_kind::channel) {
    return channel_node<T>{{}, p.data};
  } else if constexpr (Kind == node_kind::element) {
    return element_node<T>{{}, p.data, {p.step[0], p.step[1], p.step[2]}};
  } else {
    return strided_node<T>{{}, p.data, {p.step[0], p.step[1], p.step[2]}, p.step[3]};
  }
}

/// An expression of kernel nodes; the operation in it becomes `result`.
template <bool Direct, class E, class R>
auto bind_expression(const E& e, const result_frame& f, const R& result) {
  return map_leaves(e, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (operation<Leaf>) {
      return result;
    } else if constexpr (tkl::detail::is_operand_leaf<Leaf>) {
      using X = std::remove_cvref_t<decltype(leaf.source)>;
      return node_at<kind_of_leaf<X, Direct>>(place_leaf(locate(leaf.source), f));
    } else if constexpr (tkl::detail::is_channel_leaf<Leaf>) {
      using X = std::remove_cvref_t<decltype(leaf.source)>;
      constexpr bool together = Direct && has_unit_columns<X>;
      // An extent of 1 is no broadcast here, but both read the one value there is.
      return node_at < together ? node_kind::channel : node_kind::strided > (place_leaf(locate(leaf.source), f));
    } else {
      return leaf;
    }
  });
}

/// What a kernel needs of an operand: a floating type, four axes at most, neighbouring columns.
template <class T>
constexpr complaint need_rows(std::string_view name, const located<T>& l) {
  complaint c;
  const int last = l.extents.rank - 1;
  if (l.extents.rank > 4)
    c << name << " has shape " << l.extents << " with " << l.extents.rank << " axes, at most 4 are possible";
  else if (last >= 0 && l.extents[last] > 1 && l.steps[last] != 1)
    c << name << " has its columns " << l.steps[last]
      << " elements apart, this op needs neighbours: assign it to a row-major (nhwc) tensor first";
  return c;
}

/// The schedule that the caller chose, or the default.
template <auto Default, auto... S>
inline constexpr auto schedule_or = Default;
template <auto Default, auto S>
inline constexpr auto schedule_or<Default, S> = [] {
  if constexpr (std::is_same_v<decltype(Default), decltype(S)>) {
    return S;
  } else {
    return Default;  // need_schedule() refuses S
  }
}();

/// Compiles only when the register tile of a product fits the architecture.
template <gemm_schedule S, class Arch>
constexpr void require_registers() {
  static_assert(fits_registers<S, Arch>,
                "the schedule's register tile does not fit this architecture: mr * nr + nr + 1 vector registers");
}

template <class Wanted, auto... S>
constexpr void need_schedule() {
  static_assert(sizeof...(S) <= 1, "assign takes one schedule");
  static_assert((... && std::is_same_v<std::remove_const_t<decltype(S)>, Wanted>),
                "this operation is cut by another kind of schedule: see the evaluator of its op");
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
