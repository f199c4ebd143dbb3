// SPDX-License-Identifier: Apache-2.0
// An expression as canonical data: post-fix symbols, usable as a template argument.
//
// A leaf says its kind and element type only; the k-th leaf that needs an operand reads slot k of the step's operands.
// Two steps that differ in pointers and numbers alone so have equal codes, equal codes are equal template arguments,
// and the steps share a kernel. bind<code>(operands) gives the very node type that an eager expression has.
#pragma once

#include <cstdint>
#include <tkl/core/element.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/expr/node.hpp>

namespace tkl {

enum class leaf_kind : std::uint8_t { acc, literal, scalar, channel, element, row, strided, index };

/// One post-fix symbol: a leaf (kind and element type) or a function (its number in function_list).
struct symbol {
  std::uint8_t bits = 0;

  static constexpr symbol leaf(leaf_kind kind, element type = element::f32) {
    return {static_cast<std::uint8_t>(static_cast<int>(kind) | static_cast<int>(type) << 3)};
  }
  static constexpr symbol function(int index) { return {static_cast<std::uint8_t>(64 + index)}; }

  constexpr bool is_leaf() const { return bits < 64; }
  constexpr leaf_kind kind() const { return static_cast<leaf_kind>(bits & 7); }
  constexpr element type() const { return static_cast<element>(bits >> 3); }
  constexpr int function_index() const { return bits - 64; }
  constexpr int arity() const { return is_leaf() ? 0 : function_list::arities[function_index()]; }
  /// Whether the leaf reads an operand slot.
  constexpr bool has_operand() const { return is_leaf() && kind() != leaf_kind::acc; }
  constexpr bool operator==(const symbol&) const = default;
};
static_assert(function_list::size <= 191, "function numbers must fit a symbol");

inline constexpr int max_code = 31;
inline constexpr int max_operands = 8;

/// A whole expression in post-fix order; unused places stay zero. Empty means the identity (acc).
struct expr_code {
  symbol at[max_code]{};
  std::uint8_t size = 0;

  constexpr bool empty() const { return size == 0; }
  /// Whether n more symbols fit.
  constexpr bool fits(int n) const { return size + n <= max_code; }
  constexpr void push(symbol s) { at[size++] = s; }
  TKL_TAGGED constexpr bool operator==(const expr_code& other) const {
    if (size != other.size) return false;
    for (int i = 0; i < size; ++i)
      if (at[i].bits != other.at[i].bits) return false;
    return true;
  }
  /// Number of operand slots that the code reads.
  constexpr int operands() const {
    int n = 0;
    for (int i = 0; i < size; ++i) n += at[i].has_operand();
    return n;
  }
  /// Operand slot of the leaf at place i.
  constexpr int slot(int i) const {
    int n = 0;
    for (int j = 0; j < i; ++j) n += at[j].has_operand();
    return n;
  }
  /// Place of the first symbol of the operand that ends at place `last`.
  constexpr int begin_of(int last) const {
    int need = 1, i = last;
    for (;; --i) {
      need += at[i].arity() - 1;
      if (need == 0) return i;
    }
  }
};

/// What a leaf's slot holds at run time.
struct operand_value {
  const void* data = nullptr;  // scalar, channel, element, row, strided
  std::int64_t stride[3]{};    // element, row, strided: elements per outer index
  std::int64_t inner = 1;      // strided: elements per column; index: the axis
  float value = 0;             // literal

  template <class T>
  TKL_FN constexpr const T* pointer() const {
    return static_cast<const T*>(data);
  }
};
struct operand_values {
  operand_value slot[max_operands]{};
};

TKL_ISA_BEGIN

/// The expression that `Code` describes, reading `values`: operand_values, or what looks like them (a machine that
/// writes text has names instead of addresses). Its type depends on the code alone.
template <expr_code Code, int Last = Code.size - 1, class Values = operand_values>
TKL_FN constexpr auto bind(const Values& values) {
  if constexpr (Last < 0) {
    return acc_node{};
  } else {
    constexpr symbol s = Code.at[Last];
    if constexpr (s.is_leaf()) {
      [[maybe_unused]] const auto& v = values.slot[s.has_operand() ? Code.slot(Last) : 0];
      using T = storage_t<s.type()>;
      if constexpr (s.kind() == leaf_kind::acc) {
        return acc_node{};
      } else if constexpr (s.kind() == leaf_kind::literal) {
        return literal_node{{}, v.value};
      } else if constexpr (s.kind() == leaf_kind::scalar) {
        return scalar_node<T>{{}, v.template pointer<T>()};
      } else if constexpr (s.kind() == leaf_kind::channel) {
        return channel_node<T>{{}, v.template pointer<T>()};
      } else if constexpr (s.kind() == leaf_kind::element) {
        return element_node<T>{{}, v.template pointer<T>(), {v.stride[0], v.stride[1], v.stride[2]}};
      } else if constexpr (s.kind() == leaf_kind::row) {
        return row_node<T>{{}, v.template pointer<T>(), {v.stride[0], v.stride[1], v.stride[2]}};
      } else if constexpr (s.kind() == leaf_kind::strided) {
        return strided_node<T>{{}, v.template pointer<T>(), {v.stride[0], v.stride[1], v.stride[2]}, v.inner};
      } else {
        return index_node{{}, static_cast<int>(v.inner)};
      }
    } else {
      using F = typename function_list::template at<s.function_index()>;
      if constexpr (F::arity == 1) {
        auto a = bind<Code, Last - 1>(values);
        return apply_node<F, decltype(a)>{{}, a};
      } else if constexpr (F::arity == 2) {
        auto a = bind<Code, Code.begin_of(Last - 1) - 1>(values);
        auto b = bind<Code, Last - 1>(values);
        return apply_node<F, decltype(a), decltype(b)>{{}, a, b};
      } else {
        constexpr int end_b = Code.begin_of(Last - 1) - 1;
        constexpr int end_a = Code.begin_of(end_b) - 1;
        auto a = bind<Code, end_a>(values);
        auto b = bind<Code, end_b>(values);
        auto c = bind<Code, Last - 1>(values);
        return apply_node<F, decltype(a), decltype(b), decltype(c)>{{}, a, b, c};
      }
    }
  }
}

TKL_ISA_END
}  // namespace tkl
