// SPDX-License-Identifier: Apache-2.0
// What the score of attention is made of: an expression of the product q . k and of its place, before the softmax.
//
//   using namespace tkl::scores;
//   causal(product * 0.125 + mask, tkl::causality::bottom_right) mask: a tensor that broadcasts to [N, heads, Tq, Tk]
//   key_padding(product * 0.125, lengths)                        lengths: [N], or [N, Tk] with 0 where a key is none
//   product * 0.125 + (key - query) * per_head(slopes)           slopes: [heads]
//   tkl::tanh(product * 0.0025) * 50                             functions with their namespace: <cmath> has a tanh,
//   too
//
// Any function of expr/functions.hpp may stand in it. A score of -infinity masks a key; a query whose every key is
// masked gives zeros. The value of a masked key must be finite: it may be added with the weight 0. Indices are f32,
// which counts to 2^24.
#pragma once

#include <cstdint>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/expr/node.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/operand.hpp>
#include <tkl/op/params.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// Where axes of an operand stand among batch, head, query, key; the others have extent 1.
struct score_axes {
  axis_list axes{};
  template <int>
  static constexpr int rank_from = 4;

  template <class T>
  TKL_TAGGED constexpr void apply(located<T>& l) const {
    if (l.extents.rank != axes.count) {
      l.error << "has shape " << l.extents << " with " << l.extents.rank << " axes, needs " << axes.count;
      return;
    }
    shape extents{1, 1, 1, 1};
    axis_steps steps{};
    for (int i = 0; i < axes.count; ++i) {
      extents[axes.axis[i]] = l.extents[i];
      steps[axes.axis[i]] = l.steps[i];
    }
    l.extents = extents;
    l.steps = steps;
  }
};

namespace detail {

template <axis_list Axes, class X>
constexpr auto along(X&& x) {
  auto source = as_operand(std::forward<X>(x));
  return rearranged<decltype(source), fixed_params<score_axes{Axes}>>{source, {}};
}

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// reach_of the causality and of the numbers of queries and keys, which are known where the expression is evaluated.
struct reach_leaf : expression_base {
  causality causal = causality::none;
};

/// What causal() makes of a score.
template <class E>
using causal_score =
    apply_node<fn::select, apply_node<fn::less_equal, index_node, apply_node<fn::add, index_node, reach_leaf>>, E,
               literal_node>;
template <class E>
inline constexpr bool is_causal_score = false;
template <class E>
inline constexpr bool is_causal_score<causal_score<E>> = true;
template <class E>
constexpr causality causality_of(const causal_score<E>& s) {
  return s.a.b.b.causal;
}

}  // namespace detail

namespace scores {

/// q . k, not scaled.
inline constexpr acc_node product{};
/// The place of a product, as numbers. The head is that of q.
inline constexpr index_node batch{{}, 0};
inline constexpr index_node head{{}, 1};
inline constexpr index_node key{{}, 2};
inline constexpr index_node query{{}, 3};

/// A tensor [N], [heads] or [N, Tk] as an operand of a score.
template <operand_source X>
constexpr auto per_batch(X&& x) {
  return detail::along<axis_list{0}>(std::forward<X>(x));
}
template <operand_source X>
constexpr auto per_head(X&& x) {
  return detail::along<axis_list{1}>(std::forward<X>(x));
}
template <operand_source X>
constexpr auto per_key(X&& x) {
  return detail::along<axis_list{0, 3}>(std::forward<X>(x));
}

/// The score, -infinity for keys that the query does not take. As the outermost part of a score it costs little: keys
/// that no query of a block takes are not read.
template <expression E>
constexpr auto causal(const E& score, causality c) {
  return select(less_equal(key, query + detail::reach_leaf{{}, c}), score, detail::minus_infinity);
}

/// The score, -infinity for keys that are padding. `valid`: the number of keys of each batch entry [N], or a number per
/// key [N, Tk] that is 0 for padding.
template <expression E, operand_source X>
constexpr auto key_padding(const E& score, X&& valid) {
  if constexpr (std::remove_cvref_t<operand_of<X>>::rank == 1) {
    return select(less(key, per_batch(std::forward<X>(valid))), score, detail::minus_infinity);
  } else {
    return select(per_key(std::forward<X>(valid)), score, detail::minus_infinity);
  }
}

}  // namespace scores
}  // namespace tkl
