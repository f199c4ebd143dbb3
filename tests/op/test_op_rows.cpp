// SPDX-License-Identifier: Apache-2.0
// The definitions of softmax, normalisation, attention and matrix products.
#include <limits>

#include "run_op.hpp"

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

numbers softmax(const numbers& row) {
  const tensor_of_test x{{static_cast<std::int64_t>(row.size())}, row, tkl::f32};
  return run_op({x}, [](tkl::graph&, graph_inputs in) { return tkl::softmax(in[0]); }).values;
}
numbers layer_norm(const numbers& row, double eps) {
  const tensor_of_test x{{1, static_cast<std::int64_t>(row.size())}, row, tkl::f32};
  return run_op({x}, [&](tkl::graph&, graph_inputs in) { return tkl::layer_norm(in[0], {.eps = eps}); }).values;
}

}  // namespace

TEST_CASE("softmax: a finite score among infinitely small ones, at each place") {
  for (std::size_t at = 0; at < 64; ++at) {
    numbers row(64, -inf), expected(64, 0.0);
    row[at] = 0, expected[at] = 1;
    REQUIRE(softmax(row) == expected);
  }
}

TEST_CASE("softmax of rows without a meaning is NaN throughout") {
  CHECK(close(softmax({-inf, -inf, -inf}), {nan_value, nan_value, nan_value}));
  CHECK(close(softmax({0, nan_value, 1}), {nan_value, nan_value, nan_value}));
  CHECK(close(softmax({inf, 0}), {nan_value, nan_value}));
}

TEST_CASE("softmax and its logarithm") {
  CHECK(close(softmax({1000, 1001}), {0.2689414213699951, 0.7310585786300049}));
  const tensor_of_test x{{2, 2}, {1000, 1001, -3, -3}, tkl::f32};
  const auto r = run_op({x}, [](tkl::graph&, graph_inputs in) { return tkl::log_softmax(in[0]); });
  CHECK(close(r.values, {-1.3132616875182228, -0.3132616875182228, -0.6931471805599453, -0.6931471805599453}));
  CHECK(run_op({counting({3, 0})}, [](tkl::graph&, graph_inputs in) { return tkl::softmax(in[0]); }).values.empty());
}

TEST_CASE("layer normalisation does not cancel") {
  const numbers expected{-1.3416354, -0.4472118, 0.4472118, 1.3416354};
  CHECK(close(layer_norm({40000, 40001, 40002, 40003}, 1e-5), expected, 1e-6));
  CHECK(close(layer_norm({80000, 80001, 80002, 80003}, 1e-5), expected, 1e-6));
  numbers fine;
  for (int i = 0; i < 16; ++i) fine.push_back(static_cast<double>(static_cast<float>(10000 + i * 0.001)));
  const numbers r = layer_norm(fine, 1e-5);
  CHECK(std::fabs(r.front() + 1.3313334) < 1e-5);
  CHECK(std::fabs(r.back() - 1.3313334) < 1e-5);
  CHECK(layer_norm({5, 5, 5}, 1e-5) == numbers{0, 0, 0});
  CHECK(layer_norm({5}, 1e-5) == numbers{0});
}

TEST_CASE("layer normalisation with scale and offset; eps below the variance's resolution is accepted") {
  const auto r = run_op({{{2, 2}, {1, 3, 10, 30}}, {{2}, {2, 3}}, {{2}, {100, 200}}}, [](tkl::graph&, graph_inputs in) {
    return tkl::layer_norm(in[0], in[1], in[2], {.eps = 1e-12});
  });
  CHECK(close(r.values, {98, 203, 98, 203}));
}

TEST_CASE("batch normalisation per channel") {
  const auto r = run_op(
      {{{1, 1, 2, 2}, {1, 2, 3, 4}}, {{2}, {2, 10}}, {{2}, {0.5, 1}}, {{2}, {1, 2}}, {{2}, {3, 0}}},
      [](tkl::graph&, graph_inputs in) { return tkl::batch_norm(in[0], in[1], in[2], in[3], in[4], {.eps = 1}); });
  CHECK(close(r.values, {0.5, 1, 2.5, 21}));
}

TEST_CASE("attention: a query without keys gives zeros") {
  for (const double masked : {-inf, -1e30}) {
    const auto r =
        run_op({{{1, 2, 1}, {1, 1}}, {{1, 2, 1}, {1, 2}}, {{1, 2, 1}, {10, 20}}, {{2, 2}, {masked, masked, 0, 0}}},
               [](tkl::graph&, graph_inputs in) { return tkl::attention(in[0], in[1], in[2], in[3], {.scale = 1}); });
    CHECK(close({r.values[1]}, {17.310586}));
    if (masked == -inf) CHECK(r.values[0] == 0);
  }
  const auto none = run_op({counting({1, 2, 3}), counting({1, 0, 3}), counting({1, 0, 4})},
                           [](tkl::graph&, graph_inputs in) { return tkl::attention(in[0], in[1], in[2]); });
  CHECK(none.values == numbers(8, 0.0));
}

TEST_CASE("attention: causal alignments, heads that share keys") {
  const tensor_of_test q = filled({1, 2, 1}, 0), k = filled({1, 5, 1}, 0), v = counting({1, 5, 1});
  const auto aligned = [](tkl::causality c) {
    return [c](tkl::graph&, graph_inputs in) { return tkl::attention(in[0], in[1], in[2], {.causal = c}); };
  };
  CHECK(close(run_op({q, k, v}, aligned(tkl::causality::bottom_right)).values, {2.5, 3}));
  CHECK(close(run_op({q, k, v}, aligned(tkl::causality::top_left)).values, {1, 1.5}));
  CHECK(close(run_op({q, k, v}, aligned(tkl::causality::none)).values, {3, 3}));
  // More queries than keys: the first three stand before the first key, or the last three take all.
  CHECK(close(run_op({k, q, counting({1, 2, 1})}, aligned(tkl::causality::bottom_right)).values, {0, 0, 0, 1, 1.5}));
  CHECK(close(run_op({k, q, counting({1, 2, 1})}, aligned(tkl::causality::top_left)).values, {1, 1.5, 1.5, 1.5, 1.5}));
  const auto shared = run_op(
      {filled({1, 1, 4}, 0), filled({1, 2, 2}, 0), {{1, 2, 2}, {1, 10, 3, 30}}},
      [](tkl::graph&, graph_inputs in) { return tkl::attention(in[0], in[1], in[2], {.heads = 4, .key_heads = 2}); });
  CHECK(close(shared.values, {2, 2, 20, 20}));
}

TEST_CASE("attention with heads against its parts written out") {
  constexpr int heads = 3, depth = 5, value_depth = 2, queries = 4, keys = 6, batch = 2;
  auto wave = [](const tkl::shape& s, double phase) {
    tensor_of_test t = filled(s, 0);
    for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = std::sin(phase + 0.7 * static_cast<double>(i));
    return t;
  };
  const tensor_of_test q = wave({batch, queries, heads * depth}, 0), k = wave({batch, keys, heads * depth}, 1),
                       v = wave({batch, keys, heads * value_depth}, 2), mask = wave({heads, 1, keys}, 3);
  const auto whole = run_op({q, k, v, mask}, [](tkl::graph&, graph_inputs in) {
    return tkl::attention(in[0], in[1], in[2], in[3], {.heads = heads});
  });
  const auto parts = run_op({q, k, v, mask}, [](tkl::graph&, graph_inputs in) {
    const auto by_head = [](tkl::value x, int d) {
      return tkl::transpose(tkl::reshape(x, {batch, -1, heads, d}), {0, 2, 1, 3});
    };
    const tkl::value scores =
        tkl::matmul(by_head(in[0], depth), by_head(in[1], depth), {.transpose_b = true}) / std::sqrt(5.0) + in[3];
    const tkl::value y = tkl::matmul(tkl::softmax(scores), by_head(in[2], value_depth));
    return tkl::reshape(tkl::transpose(y, {0, 2, 1, 3}), {batch, queries, -1});
  });
  REQUIRE(whole.error == "");
  REQUIRE(parts.error == "");
  CHECK(whole.shape == tkl::shape{batch, queries, heads * value_depth});
  CHECK(close(whole.values, parts.values, 1e-7));
}

TEST_CASE("half-precision attention: scores and sums leave the range of f16, results do not") {
  tensor_of_test q = filled({1, 1, 64}, 100), k = filled({1, 2, 64}, 100), v{{1, 2, 1}, {7, 9}, tkl::f16};
  for (std::size_t i = 64; i < 128; ++i) k.values[i] = 99;
  q.type = k.type = tkl::f16;
  const auto two = [](tkl::graph&, graph_inputs in) { return tkl::attention(in[0], in[1], in[2]); };
  CHECK(run_op({q, k, v}, two).values == numbers{7});
  tensor_of_test equal = filled({1, 4096, 1}, 0), wide = filled({1, 4096, 1}, 32), one = filled({1, 1, 1}, 0);
  equal.type = wide.type = one.type = tkl::f16;
  CHECK(run_op({one, equal, wide}, two).values == numbers{32});
}

TEST_CASE("the default scale is the inverse root of a head's columns") {
  for (const int depth : {1, 2, 3, 15, 32, 64, 97}) {
    tkl::graph g;
    const auto x = g.input("x", tkl::f32, {1, 2, 3 * depth});
    const auto y = tkl::attention(x, x, x, {.heads = 3});
    CHECK(std::fabs(y->attr.real[0] * std::sqrt(static_cast<double>(depth)) - 1) < 1e-15);
  }
}

TEST_CASE("matrix products: transposes, batches, inner extent 0") {
  const tensor_of_test a = counting({2, 3}), b = counting({3, 2});
  const auto product = [](const tensor_of_test& x, const tensor_of_test& y, const tkl::matmul_params& p) {
    return run_op({x, y}, [&](tkl::graph&, graph_inputs in) { return tkl::matmul(in[0], in[1], p); });
  };
  CHECK(product(a, b, {}).values == numbers{22, 28, 49, 64});
  CHECK(product({{3, 2}, {1, 4, 2, 5, 3, 6}}, b, {.transpose_a = true}).values == numbers{22, 28, 49, 64});
  CHECK(product(a, {{2, 3}, {1, 3, 5, 2, 4, 6}}, {.transpose_b = true}).values == numbers{22, 28, 49, 64});
  CHECK(product({{3, 2}, {1, 4, 2, 5, 3, 6}}, {{2, 3}, {1, 3, 5, 2, 4, 6}}, {.transpose_a = true, .transpose_b = true})
            .values == numbers{22, 28, 49, 64});
  const auto empty = product(counting({2, 0}), counting({0, 3}), {});
  CHECK(empty.shape == tkl::shape{2, 3});
  CHECK(empty.values == numbers(6, 0.0));
  CHECK(product(counting({0, 4}), counting({4, 3}), {}).shape == tkl::shape{0, 3});
  CHECK(product(counting({2, 4}), counting({4, 0}), {}).values.empty());
  const auto batched = product(counting({2, 1, 2, 2}), counting({3, 2, 1}), {});
  CHECK(batched.shape == tkl::shape{2, 3, 2, 1});
  CHECK(batched.values == numbers{5, 11, 11, 25, 17, 39, 17, 23, 39, 53, 61, 83});
  const auto square =
      run_op({counting({2, 2})}, [](tkl::graph&, graph_inputs in) { return tkl::matmul(in[0], in[0]); });
  CHECK(square.values == numbers{7, 10, 15, 22});
}

TEST_CASE("half-precision dot products do not stall at 2048") {
  for (const std::int64_t n : {4096, 2049}) {
    tensor_of_test ones = filled({1, n}, 1);
    ones.type = tkl::f16;
    const auto r =
        run_op({ones}, [](tkl::graph&, graph_inputs in) { return tkl::matmul(in[0], in[0], {.transpose_b = true}); });
    CHECK(r.values == numbers{n == 4096 ? 4096.0 : 2048.0});
  }
}

TEST_CASE("linear takes weights out x in, and a bias") {
  const auto r = run_op({counting({1, 2, 2, 3}), {{2, 3}, {1, 0, 0, 0, 1, 1}}, {{2}, {100, 200}}},
                        [](tkl::graph&, graph_inputs in) { return tkl::linear(in[0], in[1], in[2]); });
  CHECK(r.shape == tkl::shape{1, 2, 2, 2});
  CHECK(r.values == numbers{101, 205, 104, 211, 107, 217, 110, 223});
}
