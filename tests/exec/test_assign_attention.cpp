// SPDX-License-Identifier: Apache-2.0
// Attention of tensors whose score is an expression: against the definition written out in double precision.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tkl/attention.hpp>
#include <tkl/elementwise.hpp>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;
using namespace tkl::scores;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using rows = tensor<float, row_major<dyn, dyn, dyn>>;

struct place_of_score {
  std::int64_t batch, head, query, key;
};

/// softmax(score(q . k, place)) v per head, zeros where every score is -infinity.
reals attend(const reals& q, const reals& k, const reals& v, std::int64_t heads, std::int64_t key_heads,
             const std::function<double(double, place_of_score)>& score) {
  const std::int64_t depth = q.shape[2] / heads, values = v.shape[2] / key_heads, keys = k.shape[1];
  reals y = zeros({q.shape[0], q.shape[1], heads * values});
  const auto at = [](const reals& x, std::int64_t b, std::int64_t r, std::int64_t c) {
    return static_cast<std::size_t>((b * x.shape[1] + r) * x.shape[2] + c);
  };
  for (std::int64_t b = 0; b < q.shape[0]; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < q.shape[1]; ++i) {
        const std::int64_t shared = h / (heads / key_heads);
        std::vector<double> w;
        double largest = -infinity, total = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
          double s = 0;
          for (std::int64_t d = 0; d < depth; ++d)
            s += q.values[at(q, b, i, h * depth + d)] * k.values[at(k, b, j, shared * depth + d)];
          w.push_back(score(s, {b, h, i, j}));
          largest = std::max(largest, w.back());
        }
        if (largest == -infinity) continue;
        for (double& s : w) total += s = std::exp(s - largest);
        for (std::int64_t c = 0; c < values; ++c)
          for (std::int64_t j = 0; j < keys; ++j)
            y.values[at(y, b, i, h * values + c)] +=
                w[static_cast<std::size_t>(j)] / total * v.values[at(v, b, j, shared * values + c)];
      }
  return y;
}

struct layer {
  std::int64_t batch = 2, queries = 5, keys = 7, depth = 3, values = 2;
  std::int64_t heads = 4, key_heads = 2;
};

/// Runs `make(q, k, v, params)` and compares it with `score`.
template <class Make>
void check(const layer& l, Make make, const std::function<double(double, place_of_score)>& score) {
  CAPTURE(l.queries);
  CAPTURE(l.keys);
  CAPTURE(l.heads);
  CAPTURE(l.key_heads);
  rows q(row_major(l.batch, l.queries, l.heads * l.depth)), k(row_major(l.batch, l.keys, l.key_heads * l.depth)),
      v(row_major(l.batch, l.keys, l.key_heads * l.values)), y(row_major(l.batch, l.queries, l.heads * l.values));
  fill(q, 1), fill(k, 2), fill(v, 3);
  const reals want = attend(reals_of(q), reals_of(k), reals_of(v), l.heads, l.key_heads, score);
  tensor<std::uint8_t, row_major<dyn>> memory(row_major<dyn>(200000));
  CHECK(good(assign(cpu<>(memory), y, make(q, k, v, attention_params{.heads = l.heads, .key_heads = l.key_heads}))));
  CHECK(agree(reals_of(y), want));
}

const layer layers[] = {
    {},
    {.queries = 1, .keys = 1, .heads = 1, .key_heads = 1},
    {.queries = 7, .keys = 3, .heads = 3, .key_heads = 1},
    {.batch = 1, .queries = 53, .keys = 101, .depth = 9, .values = 11, .heads = 8, .key_heads = 2},
    {.batch = 1, .queries = 97, .keys = 13, .heads = 2},
    {.batch = 3, .queries = 1, .keys = 193, .depth = 17, .heads = 2},
    {.queries = 0},
    {.keys = 0},
    {.batch = 0},
};

TEST_CASE("a score of the product and of its place") {
  for (const layer& l : layers) {
    check(
        l, [](auto& q, auto& k, auto& v, const auto& p) { return attention(q, k, v, product * 0.5, p); },
        [](double s, place_of_score) { return s * 0.5; });
    check(
        l,
        [](auto& q, auto& k, auto& v, const auto& p) {
          return attention(q, k, v,
                           tkl::tanh(product * 0.1) * 3 + (key - query) * 0.25 * (head + 1) + batch * 0.125 * key, p);
        },
        [](double s, place_of_score at) {
          const auto real = [](std::int64_t n) { return static_cast<double>(n); };
          return std::tanh(s * 0.1) * 3 + real(at.key - at.query) * 0.25 * real(at.head + 1) +
                 real(at.batch * at.key) * 0.125;
        });
  }
}

TEST_CASE("causal scores by both alignments, outermost, inside, and as a parameter") {
  for (const causality c : {causality::none, causality::top_left, causality::bottom_right})
    for (const layer& l : layers) {
      const auto want = [&](double s, place_of_score at) {
        const std::int64_t last =
            c == causality::none ? l.keys - 1 : at.query + (c == causality::top_left ? 0 : l.keys - l.queries);
        return at.key <= last ? s * 0.5 : -infinity;
      };
      check(
          l, [&](auto& q, auto& k, auto& v, const auto& p) { return attention(q, k, v, causal(product * 0.5, c), p); },
          want);
      check(
          l, [&](auto& q, auto& k, auto& v, const auto& p) { return attention(q, k, v, causal(product, c) * 0.5, p); },
          want);
      check(
          l,
          [&](auto& q, auto& k, auto& v, auto p) {
            p.causal = c;
            return attention(q, k, v, product * 0.5, p);
          },
          want);
      check(
          l,
          [&](auto& q, auto& k, auto& v, auto p) {
            p.causal = c, p.scale = 0.5;
            return attention(q, k, v, p);
          },
          want);
    }
}

TEST_CASE("causal scores: hard cases of alignment and of a cache's offset") {
  tensor<float, row_major<1, 2, 1>> q, y;
  tensor<float, row_major<1, 5, 1>> k, v;
  fill_with(q, 0), fill_with(k, 0);
  for (int j = 0; j < 5; ++j) v.data()[j] = static_cast<float>(j + 1);
  assign(y, attention(q, k, v, causal(product, causality::bottom_right)));
  CHECK(holds(y, {2.5, 3}));
  assign(y, attention(q, k, v, causal(product, causality::top_left)));
  CHECK(holds(y, {1, 1.5}));
  assign(y, attention<attention_params{.causal = causality::bottom_right}>(q, k, v));
  CHECK(holds(y, {2.5, 3}));

  tensor<float, row_major<1, 1, 1>> one, out;
  tensor<float, row_major<1, 8, 1>> cache, values;
  fill_with(one, 0), fill_with(cache, 0);
  for (int j = 0; j < 8; ++j) values.data()[j] = static_cast<float>(j + 1);
  assign(out, attention(one, cache, values, causal(product, causality::bottom_right)));
  CHECK(holds(out, {4.5}));
  assign(out, attention(one, cache, values, tkl::select(less_equal(key, query + 7), product, -infinity)));
  CHECK(holds(out, {4.5}));
}

TEST_CASE("keys that are padding: a count per batch entry, and a number per key") {
  const layer l{.batch = 3, .queries = 11, .keys = 101, .heads = 8, .key_heads = 2};
  tensor<std::int32_t, row_major<3>> counts;
  counts(0) = 0, counts(1) = 37, counts(2) = 101;
  tensor<std::uint8_t, row_major<3, 101>> valid;
  for (int b = 0; b < 3; ++b)
    for (int j = 0; j < 101; ++j) valid(b, j) = j < counts(b) ? 1 : 0;
  const auto want = [&](double s, place_of_score at) {
    return at.key < counts(static_cast<int>(at.batch)) ? s * 0.25 : -infinity;
  };
  check(
      l,
      [&](auto& q, auto& k, auto& v, const auto& p) {
        return attention(q, k, v, key_padding(product * 0.25, counts), p);
      },
      want);
  check(
      l,
      [&](auto& q, auto& k, auto& v, const auto& p) {
        return attention(q, k, v, key_padding(product * 0.25, valid), p);
      },
      want);
  check(
      l,
      [&](auto& q, auto& k, auto& v, const auto& p) {
        return attention(q, k, v, causal(key_padding(product * 0.25, counts), causality::bottom_right), p);
      },
      [&](double s, place_of_score at) { return at.key <= at.query + 90 ? want(s, at) : -infinity; });
}

TEST_CASE("tensors in a score: a mask of any broadcast, a slope per head") {
  const layer l{.queries = 13, .keys = 29, .heads = 6, .key_heads = 3};
  tensor<float, row_major<13, 29>> mask;
  tensor<half, row_major<2, 1, 1, 29>> per_batch_key;
  tensor<float, row_major<6>> slopes;
  fill(mask, 5), fill(per_batch_key, 6), fill(slopes, 7);
  mask(2, 3) = -std::numeric_limits<float>::infinity();
  check(
      l,
      [&](auto& q, auto& k, auto& v, const auto& p) {
        return attention(q, k, v, product * 0.5 + mask + per_batch_key + (key - query) * per_head(slopes), p);
      },
      [&](double s, place_of_score at) {
        const auto i = static_cast<int>(at.query), j = static_cast<int>(at.key), b = static_cast<int>(at.batch);
        return s * 0.5 + static_cast<double>(mask(i, j)) + widen<double>(per_batch_key(b, 0, 0, j)) +
               (j - i) * static_cast<double>(slopes(static_cast<int>(at.head)));
      });
}

TEST_CASE("a window over positions, where the cells of a cache hold two sequences in turn") {
  tensor<float, row_major<1, 1, 1>> q, y;
  tensor<float, row_major<1, 6, 1>> k, v;
  tensor<std::int32_t, row_major<1, 6>> sequence, position;
  fill_with(q, 0), fill_with(k, 0);
  for (int cell = 0; cell < 6; ++cell) {
    sequence(0, cell) = cell % 2, position(0, cell) = cell / 2;
    v(0, cell, 0) = static_cast<float>(cell / 2 + 1) * (cell % 2 == 0 ? 1.0f : 10.0f);
  }
  const auto own = equal(per_key(sequence), 0);
  const auto recent = less(2 - per_key(position), 2);
  assign(y, attention(q, k, v, tkl::select(own * recent, product, -infinity)));
  CHECK(holds(y, {2.5}));
}

TEST_CASE("a masked query gives zeros in f32, f16 and bf16") {
  const auto run = []<class T>(T) {
    tensor<T, row_major<1, 2, 1>> q, k, v, y;
    fill_with(q, 1);
    k.data()[0] = narrow<T>(1.0f), k.data()[1] = narrow<T>(2.0f);
    v.data()[0] = narrow<T>(10.0f), v.data()[1] = narrow<T>(20.0f);
    assign(y, attention(q, k, v, tkl::select(query, product, -infinity)));
    CHECK(widen<double>(y.data()[0]) == 0);
    CHECK(widen<double>(y.data()[1]) == doctest::Approx(17.310586).epsilon(sizeof(T) == 4 ? 1e-6 : 8e-3));
  };
  run(float{}), run(half{}), run(bfloat16{});
}

TEST_CASE("mistakes of scores and of shared heads") {
  rows q(row_major(1, 4, 8)), k(row_major(1, 6, 8)), v(row_major(1, 6, 8)), y(row_major(1, 4, 8));
  const tensor<float, row_major<4, 5>> mask;
  CHECK(message_of(assign(y, attention(q, k, v, product + mask, {.heads = 2}))) ==
        "attention: an operand of the score has shape 4x5, does not broadcast to batch x heads x queries x keys = "
        "1x2x4x6");
  CHECK(message_of(assign(y, attention(q, k, v, mask, {.heads = 2}))) ==
        "attention: mask has shape 4x5, does not broadcast to batch x heads x queries x keys = 1x2x4x6");
  CHECK(message_of(assign(y, attention(q, k, v, product, {.heads = 2, .scale = 0.5}))) ==
        "attention: scale is written, but the score is an expression of the product itself: multiply there");
  CHECK(message_of(assign(y, attention(q, k, v, {.heads = 4, .key_heads = 3}))) ==
        "attention: heads is 4, not a multiple of key_heads 3");
  CHECK(message_of(assign(y, attention(q, k, v, {.heads = 4, .key_heads = 2}))) ==
        "attention: a head of q has 2 columns (8 for 4 heads), of k 4 (8 for 2)");
  const tensor<std::int32_t, row_major<2>> lengths;
  CHECK(message_of(assign(y, attention(q, k, v, key_padding(product, lengths), {.heads = 2}))) ==
        "attention: an operand of the score has shape 2x1x1x1, does not broadcast to batch x heads x queries x keys = "
        "1x2x4x6");
}

}  // namespace
