// SPDX-License-Identifier: Apache-2.0
// Expressions of tensors: at most one operation (a contraction, a row operation, a pooling ...) inside an element-wise
// expression. Here: what an expression holds, and the rule for its extents.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/elementwise.hpp>
#include <tkl/op/operand.hpp>
#include <type_traits>

namespace tkl {

/// An op applied to operands, as data. Each has
///   name                       for messages
///   is_static                  extents and parameters are part of the type
///   in_place                   whether the result may take the place of the (first) input
///   rule()                     extents of the result, or what is wrong
///   for_each_input(f)          f(name, operand) for each operand in memory
struct operation_base : expression_base {};

template <class E>
concept operation = std::is_base_of_v<operation_base, std::remove_cvref_t<E>>;

namespace detail {

template <class E>
inline constexpr int operations_in = operation<E> ? 1 : 0;
template <class F, class... A>
inline constexpr int operations_in<apply_node<F, A...>> = (0 + ... + operations_in<A>);

template <class E>
inline constexpr bool is_operand_leaf = false;
template <class X>
inline constexpr bool is_operand_leaf<operand_leaf<X>> = true;
template <class E>
inline constexpr bool is_channel_leaf = false;
template <class X>
inline constexpr bool is_channel_leaf<channel_leaf<X>> = true;

template <class E>
inline constexpr bool static_extents = true;
template <operation E>
inline constexpr bool static_extents<E> = E::is_static;
template <operand X>
inline constexpr bool static_extents<operand_leaf<X>> = X::is_static;
template <operand X>
inline constexpr bool static_extents<channel_leaf<X>> = X::is_static;
template <class F, class... A>
inline constexpr bool static_extents<apply_node<F, A...>> = (... && static_extents<A>);

}  // namespace detail

/// Number of operations in an expression.
template <class E>
inline constexpr int operation_count = detail::operations_in<std::remove_cvref_t<E>>;

/// Whether an expression's extents and parameters are part of its type, so that it is checked when it is compiled.
template <class E>
inline constexpr bool is_static_expression = detail::static_extents<std::remove_cvref_t<E>>;

/// Calls f on every leaf: operations, operands and numbers.
template <class E, class F>
constexpr void for_each_leaf(const E& e, F&& f) {
  f(e);
}
template <class Fn, class A, class F>
constexpr void for_each_leaf(const apply_node<Fn, A>& n, F&& f) {
  for_each_leaf(n.a, f);
}
template <class Fn, class A, class B, class F>
constexpr void for_each_leaf(const apply_node<Fn, A, B>& n, F&& f) {
  for_each_leaf(n.a, f);
  for_each_leaf(n.b, f);
}
template <class Fn, class A, class B, class C, class F>
constexpr void for_each_leaf(const apply_node<Fn, A, B, C>& n, F&& f) {
  for_each_leaf(n.a, f);
  for_each_leaf(n.b, f);
  for_each_leaf(n.c, f);
}

/// The expression with f(leaf) in the place of each leaf.
template <class E, class F>
constexpr auto map_leaves(const E& e, const F& f) {
  return f(e);
}
template <class Fn, class A, class F>
constexpr auto map_leaves(const apply_node<Fn, A>& n, const F& f);
template <class Fn, class A, class B, class F>
constexpr auto map_leaves(const apply_node<Fn, A, B>& n, const F& f);
template <class Fn, class A, class B, class C, class F>
constexpr auto map_leaves(const apply_node<Fn, A, B, C>& n, const F& f);

template <class Fn, class A, class F>
constexpr auto map_leaves(const apply_node<Fn, A>& n, const F& f) {
  return make_apply<Fn>(map_leaves(n.a, f));
}
template <class Fn, class A, class B, class F>
constexpr auto map_leaves(const apply_node<Fn, A, B>& n, const F& f) {
  return make_apply<Fn>(map_leaves(n.a, f), map_leaves(n.b, f));
}
template <class Fn, class A, class B, class C, class F>
constexpr auto map_leaves(const apply_node<Fn, A, B, C>& n, const F& f) {
  return make_apply<Fn>(map_leaves(n.a, f), map_leaves(n.b, f), map_leaves(n.c, f));
}

/// The operation of an expression that has exactly one.
template <operation E>
constexpr const E& operation_of(const E& e) {
  return e;
}
template <class F, class A>
constexpr const auto& operation_of(const apply_node<F, A>& n) {
  return operation_of(n.a);
}
template <class F, class A, class B>
constexpr const auto& operation_of(const apply_node<F, A, B>& n) {
  if constexpr (operation_count < A >> 0) {
    return operation_of(n.a);
  } else {
    return operation_of(n.b);
  }
}
template <class F, class A, class B, class C>
constexpr const auto& operation_of(const apply_node<F, A, B, C>& n) {
  if constexpr (operation_count < A >> 0) {
    return operation_of(n.a);
  } else if constexpr (operation_count<B> > 0) {
    return operation_of(n.b);
  } else {
    return operation_of(n.c);
  }
}

namespace detail {

/// "conv2d: " and the complaint.
TKL_TAGGED constexpr complaint complaint_of(std::string_view op, const complaint& what) {
  complaint c;
  return c << op << ": " << what.view();
}
/// The first of several operands' own mistakes.
TKL_TAGGED constexpr complaint input_error() {
  return {};
}
template <class L, class... Rest>
TKL_TAGGED constexpr complaint input_error(std::string_view name, const L& l, const Rest&... rest) {
  if (l.error.empty()) return input_error(rest...);
  complaint c;
  return c << name << ": " << l.error.view();
}

/// Collects the result's extents over the leaves of an expression.
struct extents_rule {
  shape out{};
  std::string_view op{};  // of the operation, whose extents hold; empty when there is none
  int operands = 0;
  bool any = false;
  complaint error{};

  TKL_TAGGED constexpr void join(const shape& s, const complaint& own) {
    ++operands;
    if (!error.empty()) return;
    if (!own.empty()) {
      error << "operand " << operands << " of the element-wise part: " << own.view();
      return;
    }
    if (!any) {
      out = s;
      any = true;
      return;
    }
    const shape both[2]{out, s};
    const shape_or_complaint r = map_rule(both, 2);
    if (r.ok() && (op.empty() || r.out == out)) {
      out = r.out;
    } else if (op.empty()) {
      error = r.error;
    } else {
      error << "operand " << operands << " of the element-wise part has shape " << s << ", does not broadcast to "
            << out << ", the result of " << op;
    }
  }

  TKL_TAGGED constexpr void channel(const shape& s, const complaint& own) {
    if (!error.empty()) return;
    if (!own.empty())
      error << "channel: " << own.view();
    else if (!any)
      error << "channel: no other operand says what shape the result has";
    else if (out.rank == 0 || s[0] != out.back(0))
      error << "channel: " << s[0] << " values, the result " << out << " has " << (out.rank == 0 ? 1 : out.back(0))
            << " channels";
  }
};

}  // namespace detail

/// Shape rule of an expression: that of its operation, to which all other operands broadcast; without one, the operands
/// broadcast together. A channel operand has as many values as the result has channels.
template <class E>
TKL_TAGGED constexpr shape_or_complaint expression_rule(const E& e) {
  detail::extents_rule r;
  if constexpr (operation_count<E> == 1) {
    const auto& op = operation_of(e);
    const shape_or_complaint own = op.rule();
    if (!own.ok()) return complain(detail::complaint_of(op.name, own.error));
    r.out = own.out;
    r.op = op.name;
    r.any = true;
  }
  for_each_leaf(e, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (detail::is_operand_leaf<Leaf>) {
      const auto l = locate(leaf.source);
      r.join(l.extents, l.error);
    }
  });
  for_each_leaf(e, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (detail::is_channel_leaf<Leaf>) {
      const auto l = locate(leaf.source);
      r.channel(l.extents, l.error);
    }
  });
  if (r.error.empty() && !r.any) r.error << "the expression has no tensor operand: nothing says what shape it has";
  return r.error.empty() ? checked_shape(r.out) : complain(r.error);
}

}  // namespace tkl
