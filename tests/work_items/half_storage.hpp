// SPDX-License-Identifier: Apache-2.0
// Half storage on a device: which tensors become f16 or bf16, and random graphs with it: seeds_of_half_storage of them,
// or what TKL_DEVICE_SEEDS says.
#pragma once

#include <cstdlib>
#include <tkl/graph/validate.hpp>

#include "support/random_graph.hpp"

namespace {

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 4});
    auto y = tkl::relu(tkl::conv2d(x, g.weight("w", {8, 4, 3, 3}), g.weight("b", {8}), {.pad = 1}));
    y = tkl::silu(tkl::conv2d(y, g.weight("d", {8, 1, 3, 3}), {.pad = 1, .groups = 8})) * g.weight("scale", {8});
    const auto rows = tkl::reshape(y, {1, 64, 8});
    g.output(tkl::matmul(rows, rows, {.transpose_b = true}), "products");
    g.output(tkl::matmul(rows, tkl::reshape(x, {1, 64, 4}), {.transpose_a = true}), "with an input");
  }
};
using full = tkl::compile<model, tkl_test::device_target>;
using half = tkl::compile<model, tkl::half_storage<tkl_test::device_target>>;
static_assert(half::steps == full::steps && half::conversions == full::conversions);
static_assert(half::weights_bytes < full::weights_bytes && half::bytes < full::bytes);

TEST_CASE("values between steps and panels are f16, the model's own tensors and constants per channel are not") {
  const tkl::device_plan p = half::plan();
  for (int i = 0; i < p.step_count; ++i) {
    const tkl::step& s = p.steps[i];
    CAPTURE(i);
    if (s.weight >= 0) CHECK(p.edges[s.weight].type == tkl::f16);
    for (const std::int16_t e : s.operand)
      if (e >= 0 && p.edges[e].where == tkl::space::weights) CHECK(p.edges[e].type == tkl::f32);
    for (const std::int16_t e : {s.in[0], s.in[1], s.out}) {
      if (e < 0) continue;
      const tkl::edge& x = p.edges[e];
      if (x.where == tkl::space::input || x.where == tkl::space::output) CHECK(x.type == tkl::f32);
    }
    if (s.in[0] >= 0 && s.in[1] >= 0) CHECK(p.edges[s.in[0]].type == p.edges[s.in[1]].type);
  }
  // The first convolution's result is read by the second alone; the second's meets an input in a product.
  CHECK(p.edges[p.steps[0].out].type == tkl::f16);
  CHECK(p.edges[p.steps[1].out].type == tkl::f32);
}

TEST_CASE("bf16 is stored at the same places") {
  using brain = tkl::compile<model, tkl::half_storage<tkl_test::device_target, tkl::bf16>>;
  static_assert(brain::weights_bytes == half::weights_bytes && brain::arena_bytes == half::arena_bytes);
  const tkl::device_plan p = half::plan(), b = brain::plan();
  REQUIRE(p.step_count == b.step_count);
  for (int i = 0; i < p.step_count; ++i) {
    CAPTURE(i);
    const tkl::element in_half = p.edges[p.steps[i].out].type, in_brain = b.edges[b.steps[i].out].type;
    CHECK(in_brain == (in_half == tkl::f16 ? tkl::bf16 : in_half));
    if (b.steps[i].weight >= 0) CHECK(b.edges[b.steps[i].weight].type == tkl::bf16);
  }
}

TEST_CASE("results agree") {
  // Three roundings on the way to either factor of the last product, whose terms are some six times the largest sum: 36
  // units of the type's rounding.
  const auto slack = [](double unit) { return 36 * unit / 2e-4; };
  tkl_test::check_device<model, tkl::half_storage<tkl_test::device_target>>(slack(0x1p-11));
  tkl_test::check_device<model, tkl::half_storage<tkl_test::device_target, tkl::bf16>>(slack(0x1p-8));
}

TEST_CASE("plans with half storage are sound") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    tkl::graph g;
    tkl_test::random_graph_builder(g, seed).build();
    const auto no_scratch = [](const tkl::step&, const tkl::edge*) { return std::int64_t{0}; };
    const tkl::program full_plan = tkl::make_program(g, tkl_test::device_target::facts(), no_scratch),
                       half_plan =
                           tkl::make_program(g, tkl::half_storage<tkl_test::device_target>::facts(), no_scratch);
    const std::string mistake = tkl::validate(tkl::view_of(half_plan)).message();
    CHECK(mistake == "");
    CHECK(half_plan.steps.size() == full_plan.steps.size());
    CHECK(half_plan.conversions == full_plan.conversions);
    CHECK(half_plan.arena_bytes <= full_plan.arena_bytes);
    CHECK(half_plan.weights_bytes <= full_plan.weights_bytes);
  }
}

/// What every step of random graphs stores, compared with the same step in double precision.
template <tkl::element Type>
void check_random_graphs() {
  const char* wanted = std::getenv("TKL_DEVICE_SEEDS");
  const int seeds = wanted != nullptr ? std::atoi(wanted) : seeds_of_half_storage;
  double worst = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    tkl::graph g;
    tkl_test::random_graph_builder(g, static_cast<std::uint32_t>(seed)).build();
    CHECK(tkl_test::check_steps<tkl::half_storage<tkl_test::device_target, Type>>(g, 2e-6, &worst) == "");
  }
  MESSAGE("largest error of a step beyond the rounding of its result: ", worst);
}
TEST_CASE("random graphs in f16") {
  check_random_graphs<tkl::f16>();
}
TEST_CASE("random graphs in bf16") {
  check_random_graphs<tkl::bf16>();
}

}  // namespace
