// SPDX-License-Identifier: Apache-2.0
// Random graphs through all passes: the plan passes the validator, and run step by step inside its arena, poisoned
// before each write, it gives what the unoptimised graph gives. TKL_RANDOM_SEEDS sets the number of seeds.
// tkl-test: timeout=900
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <tkl/graph/check.hpp>
#include <tkl/graph/interpreter.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <tkl/graph/plan_data.hpp>
#include <tkl/graph/plan_interpreter.hpp>
#include <tkl/graph/validate.hpp>
#include <vector>

#include "support/arena_limit.hpp"
#include "support/random_graph.hpp"
#include "support/random_run.hpp"

namespace {

using namespace tkl;
using namespace tkl_test;

int seed_count() {
  const char* s = std::getenv("TKL_RANDOM_SEEDS");
  return s != nullptr ? std::atoi(s) : 1000;
}

/// Whether a value lies in the buffer of an output that is not the output.
bool lends(const program& p) {
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const edge& x = p.edges[e];
    if (x.where != space::output) continue;
    const auto own = static_cast<std::size_t>(p.outputs[static_cast<std::size_t>(x.index)]);
    if (p.edge_storage[e] != p.edge_storage[own]) return true;
  }
  return false;
}

TEST_CASE("planned and unoptimised graphs agree on random seeds") {
  const int seeds = seed_count();
  std::map<std::string, int> share;  // seeds with an op; with an element-wise function
  int fan_out = 0, several_outputs = 0, winograd = 0, lent = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    graph g;
    random_graph_builder(g, static_cast<std::uint32_t>(seed)).build();
    const std::string mistake = g.error.c_str();
    REQUIRE(mistake == "");
    const graph_inputs inputs(g);
    const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
    REQUIRE(expected.size() == g.outputs.size());
    if (seed % 2 != 0) winograd += ask_for_winograd(g) > 0;
    target_facts facts = facts_with(f32, true);
    facts.lends_outputs = seed % 3 == 0;
    const planned_run run = run_planned(g, inputs, facts);
    REQUIRE(run.error == "");
    const program& p = run.program;
    REQUIRE(p.arena_bytes <= arena_limit(p.lower_bound, counts_of(p).buffers));
    for (std::size_t o = 0; o < expected.size(); ++o) {
      CAPTURE(o);
      const std::string difference = compare(expected[o], run.outputs[o], tolerance_of(g));
      REQUIRE(difference == "");
    }
    const node_array<node_use> use = analyse(g);
    std::map<std::string, bool> seen;
    bool fans = false;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(g.nodes.size()); ++i) {
      if (!use[i].live) continue;
      const node& n = g.nodes[static_cast<std::size_t>(i)];
      seen[std::string(name_of(n.kind))] = true;
      if (n.kind == op_kind::map) seen["function " + std::string(function_list::names[n.attr.function])] = true;
      fans = fans || use[i].readers > 1;
    }
    for (const auto& [name, there] : seen) share[name] += there;
    fan_out += fans;
    several_outputs += g.outputs.size() > 1;
    lent += lends(p);
  }
  if (seeds < 500) return;  // shares mean something over many seeds only
  for (int k = 0; k < op_kinds; ++k) {
    const std::string name(name_of(static_cast<op_kind>(k)));
    CAPTURE(name);
    CHECK(share[name] * 50 >= seeds);
  }
  for (const std::string_view function : function_list::names) {
    const std::string name = "function " + std::string(function);
    CAPTURE(name);
    CHECK(share[name] * 50 >= seeds);
  }
  CHECK(winograd * 50 >= seeds);
  CHECK(fan_out * 50 >= seeds);
  CHECK(several_outputs * 50 >= seeds);
  CHECK(lent * 50 >= seeds);
}

/// Largest difference of the outputs that are f32, relative to the largest element of each, or to 1.
double largest_difference(const graph& g, const planned_run& a, const planned_run& b) {
  double worst = 0;
  for (std::size_t o = 0; o < a.outputs.size(); ++o) {
    if (g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type != f32) continue;
    double largest = 1, difference = 0;
    for (std::size_t i = 0; i < a.outputs[o].size(); ++i) {
      largest = std::fmax(largest, std::fabs(a.outputs[o][i]));
      difference = std::fmax(difference, std::fabs(a.outputs[o][i] - b.outputs[o][i]));
    }
    worst = std::fmax(worst, difference / largest);
  }
  return worst;
}

TEST_CASE("weights of 16 bits are the nearest of their type, and results stay near") {
  const int seeds = seed_count() / 5;
  for (const auto& [type, unit] : {std::pair{f16, 0x1p-11}, {bf16, 0x1p-8}}) {
    int near_by = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      graph g;
      random_graph_builder(g, static_cast<std::uint32_t>(seed)).build();
      const graph_inputs inputs(g);
      const planned_run exact = run_planned(g, inputs, f32, false), rounded = run_planned(g, inputs, type);
      REQUIRE(exact.error == "");
      REQUIRE(rounded.error == "");
      near_by += largest_difference(g, exact, rounded) <= 4 * unit;
    }
    CHECK(near_by * 100 >= 95 * seeds);  // steps that compare, round or cut may enlarge any difference
    MESSAGE(name_of(type), ": ", near_by, " of ", seeds);
  }
}

}  // namespace
