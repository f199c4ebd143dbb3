// SPDX-License-Identifier: Apache-2.0
// What fusing and folding must leave as it is: order, other readers, declared outputs.
// tkl-test: timeout=600
#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;

namespace {

constexpr value normalised(graph& g, value x) {
  return tkl::batch_norm(x, g.weight("scale", {1}), g.weight("shift", {1}), g.weight("mean", {1}),
                         g.weight("variance", {1}), {.eps = 0});
}
const std::vector<numbers> normalising = {{"scale", {3}}, {"shift", {1}}, {"mean", {0}}, {"variance", {1}},
                                          {"w", {2}},     {"x", {1}},     {"y", {1}},    {"m", {-2}}};

/// A convolution, then relu, then a batch norm: the scale is not the convolution's.
template <flavour F>
struct across_activation {
  static constexpr void build(graph& g) {
    const value c = tkl::conv2d(g.input("x", f32, {1, 1, 1, 1}), g.weight("m", {1, 1, 1, 1}));
    declare<F>(g, normalised(g, tkl::relu(c)), "after relu");
    declare<F>(g, tkl::relu(normalised(g, tkl::conv2d(g.input("y", f32, {1, 1, 1, 1}), g.weight("m", {1, 1, 1, 1})))),
               "before relu");
  }
};

/// One weight in two convolutions, one of them normalised.
template <flavour F>
struct shared_weight {
  static constexpr void build(graph& g) {
    const value w = g.weight("w", {1, 1, 1, 1});
    declare<F>(g, normalised(g, tkl::conv2d(g.input("x", f32, {1, 1, 1, 1}), w)), "normalised");
    declare<F>(g, tkl::conv2d(g.input("y", f32, {1, 1, 1, 1}), w), "plain");
  }
};

/// One convolution with two readers, one of them a batch norm.
template <flavour F>
struct two_readers {
  static constexpr void build(graph& g) {
    const value c = tkl::conv2d(g.input("x", f32, {1, 1, 1, 1}), g.weight("w", {1, 1, 1, 1}));
    declare<F>(g, normalised(g, c), "normalised");
    declare<F>(g, tkl::neg(c), "negated");
  }
};

/// Bias, residual and activation in both orders, behind a convolution and behind a product.
template <flavour F>
struct orders {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 1, 1, 1}), r = g.input("residual", f32, {1, 1, 1, 1});
    const value w = g.weight("w", {1, 1, 1, 1}), b = g.weight("bias", {1});
    declare<F>(g, tkl::relu(tkl::conv2d(x, w, b)) + r, "relu, residual");
    declare<F>(g, tkl::relu(tkl::conv2d(x, w, b) + r), "residual, relu");
    const value row = tkl::reshape(x, {1, 1}), v = g.weight("v", {1, 1}), rest = tkl::reshape(r, {1, 1});
    declare<F>(g, tkl::relu(tkl::linear(row, v, b)) + rest, "product, relu, residual");
    declare<F>(g, tkl::relu(tkl::linear(row, v, b) + rest), "product, residual, relu");
    declare<F>(g, tkl::relu(tkl::linear(row, v) + rest) + b, "product, bias last");
  }
};

/// Every value in between is an output as well.
struct all_declared {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1});
    const value t2 = 1.702 * x, t3 = tkl::sigmoid(t2), t4 = x * t3;
    g.output(t2, "t2"), g.output(t3, "t3"), g.output(t4, "t4");
  }
};
struct none_declared {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1});
    g.output(x * tkl::sigmoid(1.702 * x), "t4");
  }
};
/// The same behind a convolution, with outputs named in another order, one of them twice.
struct declared_behind_convolution {
  static constexpr void build(graph& g) {
    const value c = tkl::conv2d(g.input("x", f32, {1, 1, 1, 1}), g.weight("w", {1, 1, 1, 1}));
    const value t3 = tkl::sigmoid(c), t4 = c * t3;
    g.output(t4, "t4"), g.output(t3, "t3"), g.output(c, "c"), g.output(t4, "t4 again");
  }
};

}  // namespace

TEST_CASE("a batch norm is not folded across an activation") {
  check_flavours<across_activation>({.given = normalising, .results = {{"after relu", {1}}, {"before relu", {0}}}});
}

TEST_CASE("a batch norm changes neither another convolution with the same weight nor another reader") {
  check_flavours<shared_weight>({.given = normalising, .results = {{"normalised", {7}}, {"plain", {2}}}});
  check_flavours<two_readers>({.given = normalising, .results = {{"normalised", {7}}, {"negated", {-2}}}});
}

TEST_CASE("bias, residual and activation keep their order") {
  check_flavours<orders>({
      .given = {{"x", {1}}, {"residual", {5}}, {"w", {-3}}, {"v", {-3}}, {"bias", {1}}},
      .results = {{"relu, residual", {5}},
                  {"residual, relu", {3}},
                  {"product, relu, residual", {5}},
                  {"product, residual, relu", {3}},
                  {"product, bias last", {3}}},
  });
}

TEST_CASE("declared values in between are delivered, and fused only when nobody asks for them") {
  const numeric_case wanted_values = {.given = {{"x", {2}}},
                                      .results = {{"t2", {3.404}}, {"t3", {0.9678293}}, {"t4", {1.9356586}}}};
  check_model<all_declared>(wanted_values);
  check_model<none_declared>(wanted_values);
  check_model<declared_behind_convolution>({
      .given = {{"x", {2}}, {"w", {1.702}}},
      .results = {{"c", {3.404}}, {"t3", {0.9678293}}, {"t4", {3.2944909}}, {"t4 again", {3.2944909}}},
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("what may be fused is one step") {
  using target = tkl::cpu<tkl::arch::native, splitting>;
  CHECK(tkl::compile<none_declared, target>::steps == 1);
  CHECK(tkl::compile<two_readers<flavour::fused>, target>::steps == 3);
  CHECK(tkl::compile<shared_weight<flavour::fused>, target>::steps == 2);
  CHECK(tkl::compile<across_activation<flavour::fused>, target>::steps == 2);
}
#endif
