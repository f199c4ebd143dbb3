// SPDX-License-Identifier: Apache-2.0
// Products of two computed operands in tensor cores on the simulated GPU: either operand along its depth or across it,
// rests of tiles, batches, epilogues; those that do not suit are run by work items.
#include <string>

#include "support/cuda_tile_run.hpp"

namespace {

using tkl::cuda_product;

/// All four ways in which operands may lie; 136 rows and 72 columns are no whole tiles, 40 no whole slice.
template <tkl::element Type>
struct ways {
  static constexpr void build(tkl::graph& g) {
    const auto input = [&](const char* name, const tkl::shape& s) {
      const auto x = g.input(name, tkl::f32, s);
      return Type == tkl::f32 ? tkl::relu(x) : tkl::cast(x, Type);
    };
    const auto a = input("a", tkl::shape(2, 136, 40)), at = input("at", tkl::shape(2, 40, 136));
    const auto b = input("b", tkl::shape(2, 40, 72)), bt = input("bt", tkl::shape(2, 72, 40));
    const auto out = [&](const tkl::value& y) { g.output(Type == tkl::f32 ? tkl::gelu(y) : tkl::cast(y, tkl::f32)); };
    out(tkl::matmul(a, b));
    out(tkl::matmul(a, bt, {.transpose_b = true}));
    out(tkl::matmul(at, b, {.transpose_a = true}));
    out(tkl::matmul(at, bt, {.transpose_a = true, .transpose_b = true}));
  }
};

/// A batch that one operand repeats, an epilogue with another tensor, a depth of several slices.
struct repeated {
  static constexpr void build(tkl::graph& g) {
    const auto a = tkl::relu(g.input("a", tkl::f32, {2, 3, 9, 136}));
    const auto b = tkl::relu(g.input("b", tkl::f32, {136, 20}));
    const auto y = tkl::matmul(a, b);
    g.output(tkl::sigmoid(y) + g.input("residual", tkl::f32, y.shape()));
  }
};
/// Depth, then columns that are no multiple of four.
struct unsuited {
  static constexpr void build(tkl::graph& g) {
    const auto a = tkl::relu(g.input("a", tkl::f32, {10, 6})), b = tkl::relu(g.input("b", tkl::f32, {6, 8}));
    g.output(tkl::matmul(a, b));
    g.output(tkl::matmul(b, tkl::relu(g.input("c", tkl::f32, {8, 3}))));
  }
};

template <class Model, cuda_product P>
void check(double tolerance, int steps) {
  using target = tkl::cuda<tkl::arch::sm_80, P>;
  const int counted = tkl::compile<Model, target>::tile_counts.steps;
  CHECK(counted == steps);
  const auto d = tkl_test::compare_tiles<Model, target>();
  CHECK(d.error == "");
  CHECK(d.largest <= tolerance);
  CHECK((d.shared > 0) == (steps > 0));
}

TEST_CASE("f32, rounded and split") {
  check<ways<tkl::f32>, cuda_product::rounded>(2e-3, 4);
  check<ways<tkl::f32>, cuda_product::split>(4e-6, 4);
}
TEST_CASE("16 bits") {
  check<ways<tkl::f16>, cuda_product::rounded>(2e-3, 4);
  check<ways<tkl::bf16>, cuda_product::rounded>(2e-2, 4);
}
TEST_CASE("a repeated operand, and an epilogue") {
  check<repeated, cuda_product::split>(4e-6, 1);
}
TEST_CASE("what is no whole number of vectors is left to work items") {
  check<unsuited, cuda_product::rounded>(4e-6, 0);
}

}  // namespace
