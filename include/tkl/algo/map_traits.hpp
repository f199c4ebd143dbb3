// SPDX-License-Identifier: Apache-2.0
// Questions that an element-wise map asks about its expression: may an axis merge into the columns, does an operand
// have its columns far apart, is the expression a plain copy.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/node.hpp>
#include <type_traits>

namespace tkl {

/// Whether acc occurs in E.
template <class E>
inline constexpr bool reads_acc = std::is_same_v<E, acc_node>;
template <class F, class... A>
inline constexpr bool reads_acc<apply_node<F, A...>> = (... || reads_acc<A>);

/// Calls f on each leaf of an expression until one gives false; whether none did.
template <class N, class P>
constexpr bool all_leaves(const N& node, P f) {
  return f(node);
}
template <class F, class A, class P>
constexpr bool all_leaves(const apply_node<F, A>& n, P f) {
  return all_leaves(n.a, f);
}
template <class F, class A, class B, class P>
constexpr bool all_leaves(const apply_node<F, A, B>& n, P f) {
  return all_leaves(n.a, f) && all_leaves(n.b, f);
}
template <class F, class A, class B, class C, class P>
constexpr bool all_leaves(const apply_node<F, A, B, C>& n, P f) {
  return all_leaves(n.a, f) && all_leaves(n.b, f) && all_leaves(n.c, f);
}

/// May outer axis `axis`, whose extent exceeds 1, become part of a row of `columns` columns, as far as one leaf is
/// concerned?
struct leaf_merges {
  int axis = 0;
  std::int64_t columns = 1;

  constexpr bool operator()(const acc_node&) const { return true; }
  constexpr bool operator()(const literal_node&) const { return true; }
  template <class T>
  constexpr bool operator()(const scalar_node<T>&) const {
    return true;
  }
  template <class T>
  constexpr bool operator()(const channel_node<T>&) const {
    return false;
  }
  template <class T>
  constexpr bool operator()(const element_node<T>& n) const {
    return n.stride[axis] == columns;
  }
  template <class T>
  constexpr bool operator()(const row_node<T>& n) const {
    return n.stride[axis] == 0;
  }
  template <class T>
  constexpr bool operator()(const strided_node<T>& n) const {
    return n.stride[axis] == columns * n.inner;
  }
  constexpr bool operator()(const index_node& n) const { return n.axis != 3 && n.axis != axis; }
};

/// Does a leaf have its columns together (a line of memory holds several of them)?
struct leaf_is_near {
  template <class N>
  constexpr bool operator()(const N&) const {
    return true;
  }
  template <class T>
  constexpr bool operator()(const strided_node<T>& n) const {
    return n.inner * static_cast<std::int64_t>(sizeof(T)) < 32 && n.inner * static_cast<std::int64_t>(sizeof(T)) > -32;
  }
};

template <class E>
constexpr bool merges(const E& expression, int axis, std::int64_t columns) {
  return all_leaves(expression, leaf_merges{axis, columns});
}
template <class E>
constexpr bool has_far_columns(const E& expression) {
  return !all_leaves(expression, leaf_is_near{});
}

/// Whether E is one operand of type T and no more, so that its elements are copied as they are.
template <class E, class T>
inline constexpr bool copies = false;
template <class T>
inline constexpr bool copies<scalar_node<T>, T> = true;
template <class T>
inline constexpr bool copies<channel_node<T>, T> = true;
template <class T>
inline constexpr bool copies<element_node<T>, T> = true;
template <class T>
inline constexpr bool copies<row_node<T>, T> = true;
template <class T>
inline constexpr bool copies<strided_node<T>, T> = true;

/// Where a copy reads: the first element, and the distance of the next column.
template <class T>
struct copy_source {
  const T* data = nullptr;
  std::int64_t inner = 0;
};
namespace detail {
constexpr std::int64_t outer_offset(const position& at, const std::int64_t (&stride)[3]) {
  return at.outer[0] * stride[0] + at.outer[1] * stride[1] + at.outer[2] * stride[2];
}
}  // namespace detail
template <class T>
constexpr copy_source<T> source_of(const scalar_node<T>& n, const position&) {
  return {n.data, 0};
}
template <class T>
constexpr copy_source<T> source_of(const channel_node<T>& n, const position& at) {
  return {n.data + at.column, 1};
}
template <class T>
constexpr copy_source<T> source_of(const element_node<T>& n, const position& at) {
  return {n.data + detail::outer_offset(at, n.stride) + at.column, 1};
}
template <class T>
constexpr copy_source<T> source_of(const row_node<T>& n, const position& at) {
  return {n.data + detail::outer_offset(at, n.stride), 0};
}
template <class T>
constexpr copy_source<T> source_of(const strided_node<T>& n, const position& at) {
  return {n.data + detail::outer_offset(at, n.stride) + at.column * n.inner, n.inner};
}

}  // namespace tkl
