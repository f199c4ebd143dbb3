// SPDX-License-Identifier: Apache-2.0
// Attention of tensors as an expression. Definition and shape rule: op/attention.hpp.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/attention.hpp>
#include <tkl/op/expression.hpp>
#include <type_traits>

namespace tkl {

struct no_mask {};

/// q [N, Tq, heads * d], k [N, Tk, heads * d], v [N, Tk, heads * e]; Mask: an operand that broadcasts to [N, heads, Tq,
/// Tk], or no_mask.
template <operand Q, operand K, operand V, class Mask, class P>
struct TKL_TAGGED attention_operation : operation_base {
  static constexpr std::string_view name = "attention";
  static constexpr bool has_mask = !std::is_same_v<Mask, no_mask>;
  static constexpr bool is_static = [] {
    if constexpr (has_mask) {
      return Q::is_static && K::is_static && V::is_static && P::is_static && Mask::is_static;
    } else {
      return Q::is_static && K::is_static && V::is_static && P::is_static;
    }
  }();
  static constexpr bool in_place = false;
  Q q{};
  K k{};
  V v{};
  Mask mask{};
  P params{};

  constexpr shape_or_complaint rule() const {
    const auto a = locate(q);
    const auto b = locate(k);
    const auto c = locate(v);
    complaint error = detail::input_error("q", a, "k", b, "v", c);
    if (error.empty() && params.get().scale != params.get().scale) error << "scale is not a number";
    if constexpr (has_mask) {
      const auto m = locate(mask);
      if (error.empty()) error = detail::input_error("mask", m);
      return error.empty() ? attention_rule(a.extents, b.extents, c.extents, &m.extents, params.get())
                           : complain(error);
    } else {
      return error.empty() ? attention_rule(a.extents, b.extents, c.extents, nullptr, params.get()) : complain(error);
    }
  }
  /// The factor of the scores.
  constexpr double scale() const {
    const attention_params& p = params.get();
    const std::int64_t depth = locate(q).extents[2] / p.heads;
    return p.scale == attention_params::inverse_root ? 1.0 / constant_sqrt(static_cast<double>(depth)) : p.scale;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("q", q);
    f("k", k);
    f("v", v);
    if constexpr (has_mask) f("mask", mask);
  }
};

namespace detail {

template <class P, class M, class Q, class K, class V>
constexpr auto make_attention(Q q, K k, V v, M mask, P params) {
  return attention_operation<Q, K, V, M, P>{{}, q, k, v, mask, params};
}

}  // namespace detail

/// softmax(q k^T * scale) v per head; heads lie side by side in the columns.
template <operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v, const attention_params& p) {
  return detail::make_attention<given_params<attention_params>, no_mask>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)), {}, {p});
}
template <attention_params P, operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v) {
  return detail::make_attention<fixed_params<P>, no_mask>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)), {}, {});
}
template <operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v) {
  return attention<attention_params{}>(std::forward<Q>(q), std::forward<K>(k), std::forward<V>(v));
}
/// The same with a mask that is added to the scaled scores.
template <operand_source Q, operand_source K, operand_source V, operand_source M>
constexpr auto attention(Q&& q, K&& k, V&& v, M&& mask, const attention_params& p) {
  return detail::make_attention<given_params<attention_params>, operand_of<M>>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)),
      as_operand(std::forward<M>(mask)), {p});
}
template <attention_params P, operand_source Q, operand_source K, operand_source V, operand_source M>
constexpr auto attention(Q&& q, K&& k, V&& v, M&& mask) {
  return detail::make_attention<fixed_params<P>, operand_of<M>>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)),
      as_operand(std::forward<M>(mask)), {});
}

}  // namespace tkl
