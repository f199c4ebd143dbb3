// SPDX-License-Identifier: Apache-2.0
// Attention of tensors as an expression. Definition and shape rule: op/attention.hpp; what scores are made of:
// op/attention_score.hpp.
#pragma once

#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/attention.hpp>
#include <tkl/op/attention_score.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/params.hpp>
#include <type_traits>

namespace tkl {

/// q [N, Tq, heads * d], k [N, Tk, key_heads * d], v [N, Tk, key_heads * e]. Score: an expression of the product, which
/// params.scale has multiplied unless Whole: then the score says all that is done to the product.
template <operand Q, operand K, operand V, expression Score, class P, bool Whole>
struct TKL_TAGGED attention_operation : operation_base {
  static constexpr std::string_view name = "attention";
  static constexpr bool is_static =
      Q::is_static && K::is_static && V::is_static && P::is_static && detail::static_extents<Score>;
  static constexpr bool in_place = false;
  Q q{};
  K k{};
  V v{};
  Score score{};
  P params{};

  constexpr shape_or_complaint rule() const {
    const auto a = locate(q);
    const auto b = locate(k);
    const auto c = locate(v);
    const attention_params& p = params.get();
    complaint error = detail::input_error("q", a, "k", b, "v", c);
    if (error.empty()) error = attention_scale_error(p.scale);
    if (error.empty() && Whole && p.scale != attention_params::inverse_root)
      error << "scale is written, but the score is an expression of the product itself: multiply there";
    if (!error.empty()) return complain(error);
    const shape_or_complaint own = attention_rule(a.extents, b.extents, c.extents, nullptr, p);
    if (!own.ok()) return own;
    const shape scores{a.extents[0], p.heads, a.extents[1], b.extents[1]};
    for (int axis = 2; axis < 4 && Whole; ++axis)
      if (scores[axis] > counted && error.empty())
        error << (axis == 2 ? "q has " : "k has ") << scores[axis] << " rows, a score counts to " << counted;
    for_each_input([&](std::string_view operand, const auto& x) {
      if (!error.empty() || operand == "q" || operand == "k" || operand == "v") return;
      const auto l = locate(x);
      error = l.error.empty() ? score_operand_error(operand, l.extents, scores) : detail::input_error(operand, l);
    });
    return error.empty() ? own : complain(error);
  }
  /// The factor of the products.
  constexpr double scale() const {
    if (Whole) return 1;
    const attention_params& p = params.get();
    const std::int64_t depth = locate(q).extents[2] / p.heads;
    return p.scale == attention_params::inverse_root ? 1.0 / constant_sqrt(static_cast<double>(depth)) : p.scale;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("q", q);
    f("k", k);
    f("v", v);
    for_each_leaf(score, [&]<class Leaf>(const Leaf& leaf) {
      static_assert(!detail::is_channel_leaf<Leaf>, "a score has no channels: per_batch, per_head or per_key");
      static_assert(!operation<Leaf>, "an operation within a score: assign it to a tensor first");
      if constexpr (detail::is_operand_leaf<Leaf>) f(Whole ? "an operand of the score" : "mask", leaf.source);
    });
  }

 private:
  static constexpr std::int64_t counted = std::int64_t{1} << 24;  // exact in f32
};

namespace detail {

template <class P, bool Whole = false, class Q, class K, class V, class Score>
constexpr auto make_attention(Q q, K k, V v, Score score, P params) {
  return attention_operation<Q, K, V, Score, P, Whole>{{}, q, k, v, score, params};
}

}  // namespace detail

/// softmax(q k^T * scale) v per head; heads lie side by side in the columns.
template <operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v, const attention_params& p) {
  return detail::make_attention<given_params<attention_params>>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)), acc, {p});
}
template <attention_params P, operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v) {
  return detail::make_attention<fixed_params<P>>(as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)),
                                                 as_operand(std::forward<V>(v)), acc, {});
}
template <operand_source Q, operand_source K, operand_source V>
constexpr auto attention(Q&& q, K&& k, V&& v) {
  return attention<attention_params{}>(std::forward<Q>(q), std::forward<K>(k), std::forward<V>(v));
}
/// The same with a mask that is added to the scaled scores.
template <operand_source Q, operand_source K, operand_source V, operand_source M>
constexpr auto attention(Q&& q, K&& k, V&& v, M&& mask, const attention_params& p) {
  return detail::make_attention<given_params<attention_params>>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)),
      acc + std::forward<M>(mask), {p});
}
template <attention_params P, operand_source Q, operand_source K, operand_source V, operand_source M>
constexpr auto attention(Q&& q, K&& k, V&& v, M&& mask) {
  return detail::make_attention<fixed_params<P>>(as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)),
                                                 as_operand(std::forward<V>(v)), acc + std::forward<M>(mask), {});
}
/// softmax(score) v per head, where the score is an expression of scores::product and its place; it says the scale,
/// too.
template <operand_source Q, operand_source K, operand_source V, expression Score>
constexpr auto attention(Q&& q, K&& k, V&& v, const Score& score, const attention_params& p) {
  return detail::make_attention<given_params<attention_params>, true>(
      as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)), as_operand(std::forward<V>(v)), score, {p});
}
template <attention_params P, operand_source Q, operand_source K, operand_source V, expression Score>
constexpr auto attention(Q&& q, K&& k, V&& v, const Score& score) {
  return detail::make_attention<fixed_params<P>, true>(as_operand(std::forward<Q>(q)), as_operand(std::forward<K>(k)),
                                                       as_operand(std::forward<V>(v)), score, {});
}
template <operand_source Q, operand_source K, operand_source V, expression Score>
constexpr auto attention(Q&& q, K&& k, V&& v, const Score& score) {
  return attention<attention_params{}>(std::forward<Q>(q), std::forward<K>(k), std::forward<V>(v), score);
}

}  // namespace tkl
