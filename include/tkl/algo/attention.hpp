// SPDX-License-Identifier: Apache-2.0
// Attention: y = softmax(score(scale * q k^T)) v for each head, without the matrix of all scores.
//
//   for batch, head, block of queries                        in parallel
//     queries [depth][query] = scale * q, transposed         in scratch, as is all of the block
//     largest [query] = -infinity, total [query] = 0
//     for tile of keys that a query of the block reaches
//       scores [key][query] = k . queries                    register tiles of mr keys by nr vectors of queries
//       scores = score(scores), -infinity beyond the reach   only tiles that the bound crosses compare with it
//       largest' = max(largest, scores)                      per query; queries are lanes, so nothing is summed across
//       lanes scores = e^(scores - largest'); total = total * e^(largest - largest') + sum of scores sums
//       [query][value] = sums * e^(largest - largest') + scores . v      register tiles of mr queries by nr vectors
//     y = epilogue(sums / total), store
//
// Online softmax: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; tiles of keys as in Dao et
// al., "FlashAttention", 2022. Keys and values are read where they lie. Sums are the machine's values (f32), whatever
// the element types. A query whose every score is -infinity gives zeros. Each query's result depends on the schedule
// alone, not on its block or worker, where the values are finite: the weight of a masked key is 0, or its value is not
// read at all. Several query heads in a row may share one head of keys and values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tkl/algo/finish.hpp>
#include <tkl/algo/ordered_products.hpp>
#include <tkl/algo/pixel.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/node.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/schedule/attention.hpp>
#include <type_traits>

namespace tkl {

/// q: [b0, b1, queries, heads * depth]; k: [b0, b1, keys, key_heads * depth]; v: [b0, b1, keys, key_heads *
/// value_depth]; y: [b0, b1, queries, heads * value_depth]. Heads lie side by side in the columns; key_heads divides
/// heads. The batch has two axes so that a tensor of rank 3 may stand at either. Query i takes the keys up to i +
/// reach.
template <class TA, class TC>
struct attention_problem {
  strided4<const TA> q{};
  strided4<const TA> k{};
  strided4<const TA> v{};
  strided4<TC> y{};
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
  std::int64_t reach = (std::numeric_limits<std::int32_t>::max)();
  float scale = 1;
};

TKL_ISA_BEGIN
namespace impl {

/// A worker's scratch.
template <attention_schedule S, class M>
struct attention_scratch {
  using scalar = typename M::scalar;
  static constexpr std::int64_t lanes = std::int64_t{S.queries} * M::width;
  scalar* queries;  // [depth][lanes]
  scalar* scores;   // [keys][lanes]
  scalar* largest;  // [lanes]
  scalar* total;    // [lanes]
  scalar* shrink;   // [lanes]: what the sums so far are multiplied by
  scalar* sums;     // [lanes][values]
  std::int64_t values;

  attention_scratch(std::byte* memory, std::int64_t depth, std::int64_t value_depth)
      : queries(reinterpret_cast<scalar*>(memory)),
        scores(queries + depth * lanes),
        largest(scores + S.keys * lanes),
        total(largest + lanes),
        shrink(total + lanes),
        sums(shrink + lanes),
        values(round_up(value_depth, M::width)) {}
};

/// Scores of MR keys and Vectors vectors of queries: scores[i][j] = sum over depth of k[i][d] * queries[d][j].
template <int MR, int Vectors, class M, class TA>
TKL_NOINLINE void score_tile(const TA* const (&key)[MR], const typename M::scalar* queries, std::int64_t depth,
                             std::int64_t lanes, typename M::scalar* scores) {
  const TA* k[MR];
  typename M::value sum[MR][Vectors];
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) {
    k[i] = key[i];
    TKL_UNROLL
    for (int j = 0; j < Vectors; ++j) sum[i][j] = M::zero();
  }
  if constexpr (M::ordered_registers > 0) {
    ordered_products<M>(
        sum, depth, [&](std::int64_t d, int i) { return M::factor_of(k[i] + d); },
        [&](std::int64_t d, int j) { return M::load(queries + d * lanes + j * M::width); });
  } else {
    for (std::int64_t d = 0; d < depth; ++d, queries += lanes) {
      typename M::value q[Vectors];
      TKL_UNROLL
      for (int j = 0; j < Vectors; ++j) q[j] = M::load(queries + j * M::width);
      TKL_UNROLL
      for (int i = 0; i < MR; ++i) {
        const typename M::value x = M::broadcast(k[i] + d);
        TKL_UNROLL
        for (int j = 0; j < Vectors; ++j) M::mac(sum[i][j], x, q[j]);
      }
    }
  }
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) TKL_UNROLL
  for (int j = 0; j < Vectors; ++j) M::store(scores + i * lanes + j * M::width, sum[i][j]);
}

/// sums[i][j] = sums[i][j] * shrink[i] + sum over keys of scores[key][i] * v[key][j], MR queries by Vectors vectors of
/// values, the last of which has `tail` lanes unless Whole.
template <int MR, int Vectors, bool Whole, class M, class TA>
TKL_NOINLINE void value_tile(const typename M::scalar* scores, std::int64_t lanes, const TA* v, std::int64_t v_stride,
                             std::int64_t keys, const typename M::scalar* shrink, int tail, typename M::scalar* sums,
                             std::int64_t sums_stride) {
  typename M::value sum[MR][Vectors];
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) {
    const typename M::value factor = M::broadcast(shrink + i);
    TKL_UNROLL
    for (int j = 0; j < Vectors; ++j) sum[i][j] = M::load(sums + i * sums_stride + j * M::width) * factor;
  }
  const auto load = [tail](const TA* from, int j) __attribute__((always_inline)) {
    return Whole || j + 1 < Vectors ? M::load(from + j * M::width) : M::load(from + j * M::width, tail);
  };
  if constexpr (M::ordered_registers > 0) {
    ordered_products<M>(
        sum, keys, [&](std::int64_t key, int i) { return M::factor_of(scores + key * lanes + i); },
        [&](std::int64_t key, int j) { return load(v + key * v_stride, j); });
  } else {
    for (std::int64_t key = 0; key < keys; ++key, scores += lanes, v += v_stride) {
      typename M::value x[Vectors];
      TKL_UNROLL
      for (int j = 0; j < Vectors; ++j) x[j] = load(v, j);
      TKL_UNROLL
      for (int i = 0; i < MR; ++i) {
        const typename M::value weight = M::broadcast(scores + i);
        TKL_UNROLL
        for (int j = 0; j < Vectors; ++j) M::mac(sum[i][j], weight, x[j]);
      }
    }
  }
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) TKL_UNROLL
  for (int j = 0; j < Vectors; ++j) M::store(sums + i * sums_stride + j * M::width, sum[i][j]);
}

/// Turns the scores of one vector of queries into weights and brings largest, total and shrink up to date. `at`: the
/// place of the tile's first key and the vector's first query in the scores, [batch, head, key] and column query.
template <class M, class Score>
TKL_NOINLINE void softmax_tile(typename M::scalar* scores, std::int64_t lanes, std::int64_t keys,
                               typename M::scalar* largest, typename M::scalar* total, typename M::scalar* shrink,
                               const Score& score, position at, int queries, std::int64_t reach) {
  using value = typename M::value;
  using math_of = math<value>;
  constexpr bool scored = !std::is_same_v<Score, acc_node>;
  const value lowest = M::constant(-std::numeric_limits<float>::infinity());
  const value before = M::load(largest);
  const bool crossed = at.outer[2] + keys - 1 > at.column + reach;
  value best = before;
  for (std::int64_t key = 0; key < keys; ++key, ++at.outer[2]) {
    value s = M::load(scores + key * lanes);
    if constexpr (scored) s = eval(score, typename M::leaf{s, at, queries});
    if (crossed) {
      const value first_to_reach = M::constant(static_cast<float>(at.outer[2] - at.column - reach));
      s = math_of::select_less(M::iota(), first_to_reach, lowest, s);
    }
    if (scored || crossed) M::store(scores + key * lanes, s);
    best = (math_of::max)(best, s);
  }
  // Where nothing is above -infinity yet, any finite number serves: the weights are 0.
  const value base = math_of::select_equal(best, lowest, M::zero(), best);
  const value factor = math_of::exp_nonpositive(before - base);
  value sum = M::load(total) * factor;
  for (std::int64_t key = 0; key < keys; ++key) {
    const value weight = math_of::exp_nonpositive(M::load(scores + key * lanes) - base);
    M::store(scores + key * lanes, weight);
    sum = sum + weight;
  }
  M::store(largest, best);
  M::store(total, sum);
  M::store(shrink, factor);
}

/// One block of queries of one head.
template <attention_schedule S, class M, class TA, class Score>
struct attention_block {
  using scalar = typename M::scalar;
  static constexpr std::int64_t lanes = attention_scratch<S, M>::lanes;
  attention_scratch<S, M> scratch;
  std::int64_t queries;  // of the block
  std::int64_t depth;
  std::int64_t value_depth;
  const TA* q;
  std::int64_t q_stride;
  const TA* k;
  std::int64_t k_stride;
  const TA* v;
  std::int64_t v_stride;
  const Score& score;
  position place;  // of the block's first query and key 0 in the scores
  std::int64_t reach;
  float scale;

  std::int64_t vectors() const { return ceil_div(queries, M::width); }
  int lanes_of(std::int64_t vector) const {
    return static_cast<int>((std::min<std::int64_t>)(M::width, queries - vector * M::width));
  }

  void start() const {
    const typename M::value factor = M::constant(scale);
    for (std::int64_t j = 0; j < vectors(); ++j)
      for (std::int64_t d = 0; d < depth; ++d)
        M::store(scratch.queries + d * lanes + j * M::width,
                 M::load_strided(q + j * M::width * q_stride + d, q_stride, lanes_of(j)) * factor);
    // Register tiles of queries may reach beyond the vectors in use: the weights there are 0.
    const std::int64_t used = vectors() * M::width, reached = round_up(queries, S.mr);
    for (std::int64_t key = 0; key < S.keys && used < reached; ++key)
      std::fill(scratch.scores + key * lanes + used, scratch.scores + key * lanes + reached, scalar{0});
    std::fill_n(scratch.largest, lanes, -std::numeric_limits<scalar>::infinity());
    std::fill_n(scratch.total, 2 * lanes, scalar{0});
    std::fill_n(scratch.sums, lanes * scratch.values, scalar{0});
  }

  /// Keys [first, first + count): their scores, weights and share of the sums.
  void tile_of_keys(std::int64_t first, std::int64_t count) const {
    for (std::int64_t key = 0; key < count; key += S.mr) {
      const TA* rows[S.mr];
      for (int i = 0; i < S.mr; ++i) rows[i] = k + (first + (std::min)(key + i, count - 1)) * k_stride;
      const std::int64_t whole = vectors() / S.nr * S.nr;
      for (std::int64_t j = 0; j < whole; j += S.nr) scores_of<S.nr>(rows, key, j);
      if constexpr (S.nr > 1) {
        for (std::int64_t j = whole; j < vectors(); ++j) scores_of<1>(rows, key, j);
      }
    }
    for (std::int64_t j = 0; j < vectors(); ++j) {
      const std::int64_t at = j * M::width;
      softmax_tile<M>(scratch.scores + at, lanes, count, scratch.largest + at, scratch.total + at, scratch.shrink + at,
                      score, position{{place.outer[0], place.outer[1], first}, place.column + at}, lanes_of(j), reach);
    }
    const TA* values = v + first * v_stride;
    for (std::int64_t query = 0; query < queries; query += S.mr) {
      std::int64_t at = 0;
      for (; at + S.nr * M::width <= value_depth; at += S.nr * M::width)
        sum_values<S.nr, true>(query, at, values, count, 0);
      const std::int64_t rest = value_depth - at, whole = rest / M::width;
      const int tail = static_cast<int>(rest % M::width);
      if constexpr (S.nr > 1) {
        if (whole > 0 && tail > 0 && S.nr == 2) {
          sum_values<2, false>(query, at, values, count, tail);
          continue;
        }
        for (std::int64_t j = 0; j < whole; ++j, at += M::width) sum_values<1, true>(query, at, values, count, 0);
      }
      if (tail > 0) sum_values<1, false>(query, at, values, count, tail);
    }
  }

  template <int Vectors>
  void scores_of(const TA* const (&rows)[S.mr], std::int64_t key, std::int64_t vector) const {
    score_tile<S.mr, Vectors, M>(rows, scratch.queries + vector * M::width, depth, lanes,
                                 scratch.scores + key * lanes + vector * M::width);
  }

  template <int Vectors, bool Whole>
  void sum_values(std::int64_t query, std::int64_t at, const TA* values, std::int64_t count, int tail) const {
    value_tile<S.mr, Vectors, Whole, M>(scratch.scores + query, lanes, values + at, v_stride, count,
                                        scratch.shrink + query, tail, scratch.sums + query * scratch.values + at,
                                        scratch.values);
  }

  /// Row `query` of the result; y is at the head's first column, at.column too.
  template <class TC, class E>
  TKL_NOINLINE void finish_row(std::int64_t query, const E& epilogue, position at, TC* y) const {
    const typename M::value total = M::splat(scratch.total[query]), zero = M::zero();
    for (std::int64_t j = 0; j < value_depth; j += M::width, at.column += M::width) {
      const int valid = static_cast<int>((std::min<std::int64_t>)(M::width, value_depth - j));
      const typename M::value sum = M::load(scratch.sums + query * scratch.values + j);
      finish<M>(epilogue,
                math<typename M::value>::select_equal(total, zero, zero, math<typename M::value>::div(sum, total)), at,
                y + j, valid);
    }
  }
};

}  // namespace impl

/// Computes p.y on machine M. `score`: an expression of the scaled product (acc; nothing is evaluated where it is no
/// more than that) at the place [batch b0 * y.extent[1] + b1, head, key], column query. `scratch`: executor.workers()
/// times attention_scratch_bytes(S, M::width, sizeof(M::scalar), depth, value_depth), 64-byte aligned.
template <attention_schedule S, class M, class TA, class TC, class Score, class E, class X>
requires attention_tiles_whole<S, M::width>
void attention(const attention_problem<TA, TC>& p, const Score& score, const E& epilogue, const X& executor,
               std::byte* scratch) {
  if (is_empty(p.y)) return;
  const std::int64_t heads = p.heads, queries = p.y.shape.extent[2], keys = p.k.shape.extent[2];
  const std::int64_t depth = p.q.shape.extent[3] / heads, value_depth = p.v.shape.extent[3] / p.key_heads;
  const std::int64_t sharing = heads / p.key_heads;
  const std::int64_t bytes = attention_scratch_bytes(S, M::width, sizeof(typename M::scalar), depth, value_depth);
  // Blocks of about equal length, in whole vectors.
  const std::int64_t most = std::int64_t{S.queries} * M::width;
  const std::int64_t block = round_up(ceil_div(queries, ceil_div(queries, most)), M::width);
  const std::int64_t blocks = ceil_div(queries, block);
  executor.parallel_for(p.y.shape.extent[0] * p.y.shape.extent[1] * heads * blocks, [&](std::int64_t begin,
                                                                                        std::int64_t end, int worker) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t b = item / blocks / heads, head = item / blocks % heads, first = item % blocks * block;
      const std::int64_t b0 = b / p.y.shape.extent[1], b1 = b % p.y.shape.extent[1];
      const impl::attention_block<S, M, TA, Score> work{.scratch = {scratch + worker * bytes, depth, value_depth},
                                                        .queries = (std::min)(block, queries - first),
                                                        .depth = depth,
                                                        .value_depth = value_depth,
                                                        .q = pixel(p.q, b0, b1, first) + head * depth,
                                                        .q_stride = p.q.shape.stride[2],
                                                        .k = pixel(p.k, b0, b1, 0) + head / sharing * depth,
                                                        .k_stride = p.k.shape.stride[2],
                                                        .v = pixel(p.v, b0, b1, 0) + head / sharing * value_depth,
                                                        .v_stride = p.v.shape.stride[2],
                                                        .score = score,
                                                        .place = {{b, head, 0}, first},
                                                        .reach = p.reach,
                                                        .scale = p.scale};
      work.start();
      const std::int64_t reached = (std::min)(keys, first + work.queries + p.reach);
      for (std::int64_t key = 0; key < reached; key += S.keys)
        work.tile_of_keys(key, (std::min<std::int64_t>)(S.keys, reached - key));
      for (std::int64_t i = 0; i < work.queries; ++i)
        work.finish_row(i, epilogue, position{{b0, b1, first + i}, head * value_depth},
                        pixel(p.y, b0, b1, first + i) + head * value_depth);
    }
  });
}

TKL_ISA_END
}  // namespace tkl
