// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention over several heads, as one op. Several query heads may share a head of keys and values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/number_text.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <vector>

namespace tkl {

/// Attributes of attention: heads that share the columns of q; the factor of the scores, 1 / sqrt(columns of a head)
/// unless it is written; heads that share the columns of k and v, as many as q's unless written (fewer: query heads
/// h * heads / key_heads and the following share head h of k and v); which keys a query takes.
struct attention_params {
  static constexpr double inverse_root = std::numeric_limits<double>::infinity();
  std::int64_t heads = 1;
  double scale = inverse_root;
  std::int64_t key_heads = unset;
  causality causal = causality::none;
  TKL_TAGGED constexpr std::int64_t heads_of_keys() const { return key_heads == unset ? heads : key_heads; }
  constexpr bool operator==(const attention_params&) const = default;
};

/// Square root by Newton's iteration, usable in constant evaluation; within one unit in the last place for x >= 1.
TKL_TAGGED constexpr double constant_sqrt(double x) {
  if (!(x > 0)) return 0;
  double r = x > 1 ? x : 1;
  for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2) r = next;
  return r;
}

/// What is wrong with an operand that is to broadcast to the scores [N, heads, Tq, Tk].
TKL_TAGGED constexpr complaint score_operand_error(std::string_view name, const shape& operand, const shape& scores) {
  complaint c;
  const broadcast_result r = broadcast(operand, scores);
  if (!r.compatible || !(r.out == scores))
    c << name << " has shape " << operand << ", does not broadcast to batch x heads x queries x keys = " << scores;
  return c;
}

/// What is wrong with a written factor of the scores, which are f32.
TKL_TAGGED constexpr complaint attention_scale_error(double scale) {
  constexpr double largest = (std::numeric_limits<float>::max)();
  complaint c;
  if (scale != attention_params::inverse_root && !(scale >= -largest && scale <= largest))
    c << "scale is " << scale << ", no number that f32 holds";
  return c;
}

/// Shape rule: q [N, Tq, heads * d], k [N, Tk, key_heads * d], v [N, Tk, key_heads * e] -> [N, Tq, heads * e]. A mask
/// broadcasts to [N, heads, Tq, Tk].
TKL_TAGGED constexpr shape_or_complaint attention_rule(const shape& q, const shape& k, const shape& v,
                                                       const shape* mask, const attention_params& p) {
  complaint c;
  const shape* operands[] = {&q, &k, &v};
  constexpr std::string_view names[] = {"q", "k", "v"};
  const std::int64_t key_heads = p.heads_of_keys();
  if (p.heads < 1)
    c << "heads is " << p.heads << ", must be at least 1";
  else if (p.heads > 0x7fffffff)
    c << "heads is " << p.heads << ", must be at most 2147483647";
  else if (key_heads < 1)
    c << "key_heads is " << key_heads << ", must be at least 1";
  else if (p.heads % key_heads != 0)
    c << "heads is " << p.heads << ", not a multiple of key_heads " << key_heads;
  for (int i = 0; i < 3 && c.empty(); ++i) {
    if (operands[i]->rank != 3)
      c << names[i] << " has shape " << *operands[i] << " with " << operands[i]->rank
        << " axes, needs 3: batch, row, column";
    else if ((*operands[i])[2] % (i == 0 ? p.heads : key_heads) != 0)
      c << names[i] << " has " << (*operands[i])[2] << " columns, not a multiple of "
        << (i == 0 || key_heads == p.heads ? "heads " : "key_heads ") << (i == 0 ? p.heads : key_heads);
  }
  if (!c.empty()) return complain(c);
  if (q[0] != k[0] || q[0] != v[0])
    c << "batch of q is " << q[0] << ", of k " << k[0] << ", of v " << v[0];
  else if (q[2] / p.heads != k[2] / key_heads && p.heads == key_heads)
    c << "q has " << q[2] << " columns, k has " << k[2];
  else if (q[2] / p.heads != k[2] / key_heads)
    c << "a head of q has " << q[2] / p.heads << " columns (" << q[2] << " for " << p.heads << " heads), of k "
      << k[2] / key_heads << " (" << k[2] << " for " << key_heads << ')';
  else if (k[1] != v[1])
    c << "k has " << k[1] << " rows, v has " << v[1];
  else if (q[2] == 0)
    c << "q has 0 columns";
  if (!c.empty()) return complain(c);
  if (mask != nullptr) c = score_operand_error("mask", *mask, {q[0], p.heads, q[1], k[1]});
  if (!c.empty()) return complain(c);
  const checked columns = checked(v[2] / key_heads) * p.heads;
  if (!columns.valid) return complain(c << "the result has more columns than 64 bits count");
  return checked_shape({q[0], q[1], columns.value});
}

namespace detail {

constexpr value finish_attention(node_builder& b, value q, value k, value v, const value* mask,
                                 const attention_params& p) {
  const shape_or_complaint rule =
      attention_rule(q->shape, k->shape, v->shape, mask == nullptr ? nullptr : &(*mask)->shape, p);
  complaint c = rule.error;
  if (c.empty()) c = attention_scale_error(p.scale);
  if (c.empty()) c = need_floating("q", q->type);
  if (c.empty()) c = need_same_type("q", q->type, "k", k->type);
  if (c.empty()) c = need_same_type("q", q->type, "v", v->type);
  if (c.empty() && mask != nullptr) c = need_same_type("q", q->type, "mask", (*mask)->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.heads = static_cast<std::int32_t>(p.heads);
  b.made.attr.groups = static_cast<std::int32_t>(p.heads_of_keys());
  b.made.attr.mode = static_cast<std::uint8_t>(p.causal);
  const std::int64_t depth = q->shape[2] / p.heads;
  b.made.attr.real[0] =
      p.scale == attention_params::inverse_root ? 1.0 / constant_sqrt(static_cast<double>(depth)) : p.scale;
  return b.finish(q->type, rule);
}

}  // namespace detail

/// softmax(q k^T * scale) v per head; heads lie side by side in the columns.
constexpr value attention(value q, value k, value v, const attention_params& p = {}) {
  node_builder b("attention", op_kind::attention, {q, k, v});
  if (b.silent) return b.none();
  return detail::finish_attention(b, q, k, v, nullptr, p);
}
/// softmax(q k^T * scale + mask) v per head. A query whose scores are all -infinity gives zeros.
constexpr value attention(value q, value k, value v, value mask, const attention_params& p = {}) {
  node_builder b("attention", op_kind::attention, {q, k, v, mask});
  if (b.silent) return b.none();
  return detail::finish_attention(b, q, k, v, &mask, p);
}

TKL_ISA_BEGIN

/// For each batch, head and query: scores against all keys in reach, their softmax, the weighted sum of the values.
inline void attention_definition(real_input q, real_input k, real_input v, real_input mask, real_output y,
                                 const attributes& a) {
  const std::int64_t queries = q.shape[1], keys = k.shape[1], heads = a.heads, sharing = heads / a.groups;
  const std::int64_t depth = q.shape[2] / heads, value_depth = v.shape[2] / a.groups;
  const std::int64_t reach = reach_of(static_cast<causality>(a.mode), queries, keys);
  const shape all{q.shape[0], heads, queries, keys};
  const broadcast_strides m(mask.shape, all);
  std::vector<double> score(static_cast<std::size_t>(keys));
  for (std::int64_t n = 0; n < q.shape[0]; ++n)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < queries; ++i) {
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        const std::int64_t reached = (std::min)(keys, i + reach + 1), head = h / sharing;
        for (std::int64_t j = 0; j < reached; ++j) {
          double dot = 0;
          for (std::int64_t d = 0; d < depth; ++d)
            dot += q.data[(n * queries + i) * q.shape[2] + h * depth + d] *
                   k.data[(n * keys + j) * k.shape[2] + head * depth + d];
          dot *= a.real[0];
          if (mask) dot += mask.data[m.offset({all, {n, h, i, j}})];
          score[static_cast<std::size_t>(j)] = dot;
          if (dot > largest || dot != dot) largest = dot;
        }
        const bool masked = largest == -std::numeric_limits<double>::infinity();
        for (std::int64_t j = 0; j < reached && !masked; ++j) {
          double& s = score[static_cast<std::size_t>(j)];
          s = std::exp(s - largest);
          sum += s;
        }
        for (std::int64_t d = 0; d < value_depth; ++d) {
          double weighted = 0;
          for (std::int64_t j = 0; j < reached && !masked; ++j)
            weighted +=
                score[static_cast<std::size_t>(j)] / sum * v.data[(n * keys + j) * v.shape[2] + head * value_depth + d];
          y.data[(n * queries + i) * y.shape[2] + h * value_depth + d] = weighted;
        }
      }
}

TKL_ISA_END
}  // namespace tkl
