// SPDX-License-Identifier: Apache-2.0
// Attention that a model writes of products and softmax: which graphs become one step, that the results stay, and which
// graphs are left alone because their meaning or another reader forbids it.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tkl/graph.hpp>
#include <tkl/graph/interpreter.hpp>

#include "support/random_run.hpp"

namespace {

using namespace tkl;
using namespace tkl_test;

value by_head(value x, std::int64_t heads, bool turned = false) {
  const shape& s = x.shape();
  return transpose(reshape(x, shape(s[0], s[1], heads, s[2] / heads)),
                   turned ? axis_list{0, 2, 3, 1} : axis_list{0, 2, 1, 3});
}
value joined(value y) {
  const value t = transpose(y, {0, 2, 1, 3});
  const shape& s = t.shape();
  return reshape(t, shape(s[0], s[1], s[2] * s[3]));
}

/// Inputs of two sequences of 5 queries and 7 keys in 3 heads of 4 columns, of 2 for values.
struct layer {
  graph g{};
  value q = g.input("q", f32, {2, 5, 12}), k = g.input("k", f32, {2, 7, 12}), v = g.input("v", f32, {2, 7, 6});
  value qh = by_head(q, 3), kh = by_head(k, 3), vh = by_head(v, 3);
};

int steps_of(const program& p, algorithm a) {
  int n = 0;
  for (const step& s : p.steps) n += s.algorithm == a;
  return n;
}

/// Plans the graph, compares its results with those of its nodes, and returns the plan.
program planned(const graph& g) {
  const std::string mistake = g.error.c_str();
  REQUIRE(mistake == "");
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  const planned_run run = run_planned(g, inputs);
  REQUIRE(run.error == "");
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const std::string difference = compare(expected[o], run.outputs[o], tolerance_of(g));
    CHECK(difference == "");
  }
  return run.program;
}

void becomes_one_step(const graph& g) {
  const program p = planned(g);
  CHECK(p.steps.size() == 1);
  CHECK(steps_of(p, algorithm::attention) == 1);
}
void stays(const graph& g) {
  const program p = planned(g);
  CHECK(steps_of(p, algorithm::attention) == 0);
  CHECK(steps_of(p, algorithm::softmax) == 1);
}

TEST_CASE("heads split by reshape and transpose, scaled or not, masked or not") {
  for (const bool turned : {false, true})
    for (const int scale : {0, 1, 2, 3})
      for (const int mask : {0, 1, 2, 3, 4}) {
        CAPTURE(turned);
        CAPTURE(scale);
        CAPTURE(mask);
        layer l;
        graph& g = l.g;
        value s = turned ? matmul(l.qh, by_head(l.k, 3, true)) : matmul(l.qh, l.kh, {.transpose_b = true});
        if (scale == 1) s = s * 0.5;
        if (scale == 2) s = 0.5 * s;
        if (scale == 3) s = s / std::sqrt(4.0);
        if (mask == 1) s = s + g.input("mask", f32, {7});
        if (mask == 2) s = g.input("mask", f32, {5, 7}) + s;
        if (mask == 3) s = s + g.input("mask", f32, {2, 1, 1, 7});
        if (mask == 4) s = s + g.weight("bias", {1, 3, 5, 7});
        g.output(joined(matmul(softmax(s), l.vh)));
        becomes_one_step(g);
      }
}

TEST_CASE("keys transposed twice, heads split from rows of all sequences, heads left apart") {
  layer l;
  l.g.output(joined(matmul(softmax(matmul(l.qh, transpose(l.kh, {0, 1, 3, 2}))), l.vh)));
  becomes_one_step(l.g);

  graph g;
  const auto split = [&](const char* name, std::int64_t rows, std::int64_t width) {
    const value x = g.input(name, f32, {2 * rows, width});
    return transpose(reshape(x, shape(2, rows, 3, width / 3)), {0, 2, 1, 3});
  };
  const value q = split("q", 5, 12), k = split("k", 7, 12), v = split("v", 7, 6);
  const value y = transpose(matmul(softmax(matmul(q, k, {.transpose_b = true}) * 0.5), v), {0, 2, 1, 3});
  g.output(linear(reshape(y, {10, 6}), g.weight("out", {4, 6})));
  const program p = planned(g);
  CHECK(p.steps.size() == 2);
  CHECK(steps_of(p, algorithm::attention) == 1);

  layer apart;
  const value weights = softmax(matmul(apart.qh, apart.kh, {.transpose_b = true}));
  apart.g.output(relu(transpose(matmul(weights, apart.vh), {0, 2, 1, 3})));
  CHECK(steps_of(planned(apart.g), algorithm::attention) == 1);
}

TEST_CASE("one head on three axes") {
  for (const bool turned : {false, true}) {
    layer l;
    graph& g = l.g;
    const value s = turned ? matmul(l.q, transpose(l.k, {0, 2, 1})) : matmul(l.q, l.k, {.transpose_b = true});
    g.output(matmul(softmax(s * 0.25 + g.input("mask", f32, {5, 7})), l.v));
    becomes_one_step(g);
  }
}

TEST_CASE("two layers in a row, whose queries, keys and values have one source") {
  graph g;
  value x = g.input("x", f32, {2, 5, 12});
  for (int i = 0; i < 2; ++i) {
    const value h = by_head(x, 3);
    x = x + joined(matmul(softmax(matmul(h, h, {.transpose_b = true}) * 0.5), h));
  }
  g.output(x);
  const program p = planned(g);
  CHECK(steps_of(p, algorithm::attention) == 2);
  CHECK(p.steps.size() == 2);
}

TEST_CASE("parts that something else reads stay") {
  for (const int read : {0, 1, 2, 3, 4}) {
    CAPTURE(read);
    layer l;
    const value product = matmul(l.qh, l.kh, {.transpose_b = true}), scaled = product * 0.5;
    const value masked = scaled + l.g.input("mask", f32, {7}), weights = softmax(masked), y = matmul(weights, l.vh);
    const value parts[] = {product, scaled, masked, weights, y};
    l.g.output(joined(y));
    l.g.output(parts[read]);
    stays(l.g);
  }
  layer l;
  const value product = matmul(l.qh, l.kh, {.transpose_b = true});
  l.g.output(joined(matmul(softmax(product + product), l.vh)));
  stays(l.g);
}

TEST_CASE("graphs that mean something else stay") {
  {
    layer l;  // the mask is scaled, too
    l.g.output(
        joined(matmul(softmax((matmul(l.qh, l.kh, {.transpose_b = true}) + l.g.input("m", f32, {7})) * 0.5), l.vh)));
    stays(l.g);
  }
  {
    layer l;
    l.g.output(joined(matmul(log_softmax(matmul(l.qh, l.kh, {.transpose_b = true})), l.vh)));
    stays(l.g);
  }
  {
    layer l;  // weights as the right factor
    const value w = softmax(matmul(l.kh, l.qh, {.transpose_b = true}));
    l.g.output(matmul(by_head(l.v, 3, true), w));
    stays(l.g);
  }
  {
    layer l;  // divided by a tensor
    const value t = l.g.input("t", f32, {3, 1, 1});
    l.g.output(joined(matmul(softmax(matmul(l.qh, l.kh, {.transpose_b = true}) / (t * t + 1.0)), l.vh)));
    stays(l.g);
  }
  {
    layer l;  // one head of keys broadcasts to all
    const value k = transpose(reshape(l.g.input("one", f32, {2, 7, 4}), {2, 7, 1, 4}), {0, 2, 1, 3});
    l.g.output(joined(matmul(softmax(matmul(l.qh, k, {.transpose_b = true})), l.vh)));
    stays(l.g);
  }
  {
    layer l;  // the mask makes the scores larger
    const value q = slice(l.q, 0, 0, 1), k = slice(l.k, 0, 0, 1);
    const value s = matmul(by_head(q, 3), by_head(k, 3), {.transpose_b = true}) + l.g.input("m", f32, {2, 1, 1, 7});
    l.g.output(joined(matmul(softmax(s), l.vh)));
    stays(l.g);
  }
  {
    layer l;  // three axes: the mask differs between sequences, where attention's would between heads
    const value s = matmul(l.q, l.k, {.transpose_b = true}) + l.g.input("m", f32, {2, 5, 7});
    l.g.output(matmul(softmax(s), l.v));
    stays(l.g);
  }
  {
    graph g;  // a classifier's softmax between two layers
    const value x = g.input("x", f32, {2, 5, 12});
    g.output(linear(softmax(linear(x, g.weight("a.weight", {7, 12}), g.weight("a.bias", {7}))), g.weight("b", {3, 7})));
    stays(g);
  }
}

TEST_CASE("half precision stays: its parts round between steps") {
  graph g;
  const value q = g.input("q", f16, {2, 5, 12}), k = g.input("k", f16, {2, 7, 12}), v = g.input("v", f16, {2, 7, 6});
  g.output(matmul(softmax(matmul(q, k, {.transpose_b = true})), v));
  const program p =
      make_program(g, plan_interpreter::facts(), [](const step&, const edge*) { return std::int64_t{0}; });
  const std::string mistake = p.error.c_str();
  CHECK(mistake == "");
  CHECK(steps_of(p, algorithm::attention) == 0);
}

}  // namespace
