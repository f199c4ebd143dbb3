// SPDX-License-Identifier: Apache-2.0
// The order of steps: branches end one after the other where that needs less memory, and nothing else changes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tkl/graph.hpp>
#include <tkl/graph/passes/order.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <vector>

#include "support/random_run.hpp"

using namespace tkl;
using namespace tkl_test;

namespace {

constexpr std::int64_t without_scratch(const step&, const edge*) {
  return 0;
}

/// Branches that grow and shrink again: all of them grow before the first shrinks, as a loop over layers writes it.
constexpr void wide_first(graph& g, int branches) {
  const value x = g.input("x", f32, {1, 16, 16, 4});
  std::vector<value> grown;
  for (int i = 0; i < branches; ++i) {
    const text<24> name = text<24>() << "w" << i;
    grown.push_back(relu(conv2d(x, g.weight(name.view(), {32, 4, 1, 1}))));
  }
  value sum = global_average_pool(grown[0]);
  for (int i = 1; i < branches; ++i) sum = sum + global_average_pool(grown[static_cast<std::size_t>(i)]);
  g.output(sum, "y");
}

constexpr std::int64_t grown_bytes = 16 * 16 * 32 * 4;

constexpr program planned(int branches) {
  graph g;
  wide_first(g, branches);
  return make_program(std::move(g), target_facts{}, without_scratch);
}

static_assert(planned(4).arena_bytes < 2 * grown_bytes, "one branch lives at a time");

/// Every storage is written before it is read, and lives exactly as long as it is used.
std::string fault_of(const program& p) {
  std::vector<bool> written(p.storages.size(), false);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    std::string fault;
    detail::for_each_read(p.steps[i], [&](std::int16_t e) {
      const auto s = static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(e)]);
      if (p.storages[s].where == space::arena && !written[s]) fault = "step " + std::to_string(i) + " reads too early";
    });
    if (!fault.empty()) return fault;
    written[static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(p.steps[i].out)])] = true;
  }
  return "";
}

}  // namespace

TEST_CASE("branches that shrink are finished one after the other") {
  for (int branches : {2, 3, 8}) {
    const program p = planned(branches);
    REQUIRE(p.error.empty());
    CHECK(p.arena_bytes < 2 * grown_bytes);
    CHECK(fault_of(p) == "");
    graph g;
    wide_first(g, branches);
    const graph_inputs in(g);
    const planned_run run = run_planned(g, in);
    REQUIRE(run.error == "");
    CHECK(run.program.arena_bytes < 2 * grown_bytes);
    CHECK(compare(run_unoptimised(g, in)[0], run.outputs[0], tolerance_of(g)) == "");
  }
}

TEST_CASE("the builder's order stays where no other needs less") {
  graph g;
  const value x = g.input("x", f32, {1, 16, 16, 4});
  const auto branch = [&](const char* name) {
    return global_average_pool(relu(conv2d(x, g.weight(name, {32, 4, 1, 1}))));
  };
  const value first = branch("w0"), second = branch("w1"), third = branch("w2");
  g.output(first + second + third, "y");
  const program p = make_program(g, target_facts{}, without_scratch);
  REQUIRE(p.error.empty());
  REQUIRE(p.steps.size() == 6);  // the sums are fused
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(p.steps[i].algorithm == (i % 2 == 0 ? algorithm::conv2d : algorithm::reduce));
  for (std::size_t i = 2; i < 6; i += 2) CHECK(p.steps[i].weight > p.steps[i - 2].weight);
}
