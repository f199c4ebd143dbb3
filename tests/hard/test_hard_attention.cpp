// SPDX-License-Identifier: Apache-2.0
// Attention whose results are known exactly: masked rows, causal masks as data and by name, heads that share keys, the
// same written of its parts, scores and sums of half precision.
// tkl-test: timeout=600
#include "hard_run.hpp"

using namespace tkl_test;
using tkl::bf16, tkl::element, tkl::f16, tkl::f32, tkl::graph, tkl::value;

namespace {

template <flavour F>
struct masked {
  static constexpr void build(graph& g) {
    const value q = g.input("q", f32, {1, 2, 1}), k = g.input("k", f32, {1, 2, 1}), v = g.input("v", f32, {1, 2, 1});
    declare<F>(g, tkl::attention(q, k, v, g.input("mask", f32, {1, 1, 2, 2}), {.heads = 1, .scale = 1}), "masked");
    // Uniform weights: the mask alone decides.
    const value two = g.input("two", f32, {1, 2, 1}), five = g.input("five", f32, {1, 5, 1});
    const value values = g.input("values", f32, {1, 5, 1});
    declare<F>(g, tkl::attention(two, five, values, g.input("bottom right", f32, {1, 1, 2, 5}), {.heads = 1}),
               "bottom right");
    declare<F>(g, tkl::attention(two, five, values, g.input("top left", f32, {1, 1, 2, 5}), {.heads = 1}), "top left");
    const value one = g.input("one", f32, {1, 1, 1}), eight = g.input("eight", f32, {1, 8, 1});
    declare<F>(g, tkl::attention(one, eight, g.input("eight values", f32, {1, 8, 1}), {.heads = 1}), "one query");
    // Cells of a cache with two sequences, of which the query's last two positions count: which cells these are, the
    // mask says.
    const value cells = g.input("cells", f32, {1, 6, 1}), window = g.input("window", f32, {1, 1, 1, 6});
    declare<F>(g, tkl::attention(one, cells, g.input("cell values", f32, {1, 6, 1}), window, {.heads = 1}), "window");
  }
};

/// Uniform weights again; which keys a query takes is said by name.
template <flavour F>
struct causal {
  static constexpr void build(graph& g) {
    using tkl::causality;
    const value two = g.input("two", f32, {1, 2, 1}), five = g.input("five", f32, {1, 5, 1});
    const value values = g.input("values", f32, {1, 5, 1}), pair = g.input("pair", f32, {1, 2, 1});
    declare<F>(g, tkl::attention(two, five, values, {.causal = causality::bottom_right}), "bottom right");
    declare<F>(g, tkl::attention(two, five, values, {.causal = causality::top_left}), "top left");
    declare<F>(g, tkl::attention(five, two, pair, {.causal = causality::bottom_right}), "more queries, bottom right");
    declare<F>(g, tkl::attention(five, two, pair, {.causal = causality::top_left}), "more queries, top left");
    const value one = g.input("one", f32, {1, 1, 1}), eight = g.input("eight", f32, {1, 8, 1});
    const value cached = g.input("eight values", f32, {1, 8, 1});
    declare<F>(g, tkl::attention(one, eight, cached, {.causal = causality::bottom_right}), "one query");
  }
};

/// Eight query heads on two of keys: query heads 0 to 3 share the first.
template <flavour F>
struct shared_heads {
  static constexpr void build(graph& g) {
    const value q = g.input("q", f32, {1, 1, 8}), k = g.input("k", f32, {1, 2, 2}), v = g.input("v", f32, {1, 2, 2});
    declare<F>(g, tkl::attention(q, k, v, {.heads = 8, .key_heads = 2}), "shared");
  }
};

struct parts {
  static constexpr void build(graph& g) {
    const value q = g.input("q", f32, {1, 2, 1}), k = g.input("k", f32, {1, 2, 1}), v = g.input("v", f32, {1, 2, 1});
    const value scores = tkl::matmul(q, k, {.transpose_b = true}) + g.input("mask", f32, {1, 2, 2});
    g.output(tkl::matmul(tkl::softmax(scores), v), "masked");
  }
};

/// A ring of eight cells: token t lies in cell t mod 8, and the mask says which cells hold one.
template <flavour F>
struct ring {
  static constexpr void build(graph& g) {
    const value q = g.input("q", f32, {1, 1, 1}), cells = g.input("cells", f32, {1, 8, 1});
    declare<F>(g, tkl::attention(q, cells, cells, g.input("held", f32, {1, 1, 1, 8}), {.heads = 1}), "mean");
  }
};

struct half_scores {
  static constexpr void build(graph& g) {
    const value q = g.input("q", f16, {1, 1, 64}), k = g.input("k", f16, {1, 2, 64}), v = g.input("v", f16, {1, 2, 1});
    g.output(tkl::attention(q, k, v, {.heads = 1, .scale = 0.125}), "scores");
    const value z = g.input("zero", f16, {1, 1, 1}), many = g.input("many", f16, {1, 4096, 1});
    g.output(tkl::attention(z, many, g.input("thirty-two", f16, {1, 4096, 1}), {.heads = 1}), "sums");
  }
};

template <element T>
struct masked_in {
  static constexpr void build(graph& g) {
    const value q = g.input("q", T, {1, 2, 1}), k = g.input("k", T, {1, 2, 1}), v = g.input("v", T, {1, 2, 1});
    g.output(tkl::attention(q, k, v, g.input("mask", T, {1, 1, 2, 2}), {.heads = 1, .scale = 1}), "masked");
  }
};

constexpr double no = -infinite;
const std::vector<numbers> two_keys = {{"q", {1, 1}}, {"k", {1, 2}}, {"v", {10, 20}}, {"mask", {no, no, 0, 0}}};

}  // namespace

TEST_CASE("attention: a fully masked query gives zero, causal masks are data") {
  std::vector<numbers> given = two_keys;
  for (const numbers& n : std::vector<numbers>{{"two", {0, 0}},
                                               {"five", repeated(5, 0)},
                                               {"values", counting(5)},
                                               {"bottom right", {0, 0, 0, 0, no, 0, 0, 0, 0, 0}},
                                               {"top left", {0, no, no, no, no, 0, 0, no, no, no}},
                                               {"one", {0}},
                                               {"eight", repeated(8, 0)},
                                               {"eight values", counting(8)},
                                               {"cells", repeated(6, 0)},
                                               {"cell values", {1, 10, 2, 20, 3, 30}},
                                               {"window", {no, no, 0, no, 0, no}}})
    given.push_back(n);
  check_flavours<masked>({
      .given = given,
      .results = {{"masked", {0, 17.310586}},
                  {"bottom right", {2.5, 3}},
                  {"top left", {1, 1.5}},
                  {"one query", {4.5}},
                  {"window", {2.5}}},
  });
}

TEST_CASE("attention over a window's ring of cells: before it is full, when it is, and after it wrapped") {
  std::vector<double> cells = repeated(8, 1000), held = repeated(8, no);
  for (int token = 0; token < 10; ++token) {
    const auto cell = static_cast<std::size_t>(token % 8);
    cells[cell] = 10 + 0.1 * token, held[cell] = 0;
    const int first = token < 8 ? 0 : token - 7;
    const double mean = 10 + 0.05 * (first + token);  // 10.25 of 6 tokens, 10.35 of 8, 10.55 in the end
    if (token >= 5)
      check_flavours<ring>({.given = {{"q", {0}}, {"cells", cells}, {"held", held}}, .results = {{"mean", {mean}}}});
  }
}

TEST_CASE("attention: causal alignments by name, a query behind a cache") {
  check_flavours<causal>({
      .given = {{"two", {0, 0}},
                {"five", repeated(5, 0)},
                {"values", counting(5)},
                {"pair", {1, 2}},
                {"one", {0}},
                {"eight", repeated(8, 0)},
                {"eight values", counting(8)}},
      .results = {{"bottom right", {2.5, 3}},
                  {"top left", {1, 1.5}},
                  {"more queries, bottom right", {0, 0, 0, 1, 1.5}},
                  {"more queries, top left", {1, 1.5, 1.5, 1.5, 1.5}},
                  {"one query", {4.5}}},
  });
}

TEST_CASE("attention: eight query heads share two heads of keys") {
  check_flavours<shared_heads>({
      .given = {{"q", repeated(8, 0)}, {"k", repeated(4, 0)}, {"v", {1, 10, 2, 20}}},
      .results = {{"shared", joined(repeated(4, 1.5), repeated(4, 15))}},
  });
}

TEST_CASE("attention written of its parts: a fully masked query gives zero once it is one step") {
#if !defined(TKL_HARD_ON_DEVICE)
  static_assert(tkl::compile<parts, tkl::cpu<>>::steps == 1);
#endif
  const numeric_case c{.given = two_keys, .results = {{"masked", {0, 17.310586}}}};
  prepared p = prepare<parts>(c);
  check_planned(p, c);
  check_compiled<parts>(p, c);
}

TEST_CASE("attention of half precision: logits and sums beyond its range, masked rows") {
  check_model<half_scores>({
      .given = {{"q", repeated(64, 100)},
                {"k", joined(repeated(64, 100), repeated(64, 99))},
                {"v", {7, 9}},
                {"zero", {0}},
                {"many", repeated(4096, 0)},
                {"thirty-two", repeated(4096, 32)}},
      .results = {{"scores", {7}}, {"sums", {32}}},
      .planned = false,
  });
  const auto row = [](double relative) {
    return std::vector<wanted>{{.name = "masked", .values = {0, 17.310586}, .relative = relative}};
  };
  check_model<masked_in<f16>>({.given = two_keys, .results = row(1e-3), .planned = false});
  check_model<masked_in<bf16>>({.given = two_keys, .results = row(8e-3), .planned = false});
}
