// SPDX-License-Identifier: Apache-2.0
// Plans number edges and load nodes in 16 bits: what does not fit is refused by name.
#include <doctest/doctest.h>

#include <string>
#include <tkl/graph.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <utility>

namespace {

using namespace tkl;

program plan_of(graph&& g) {
  return make_program(std::move(g), target_facts{}, [](const step&, const edge*) { return std::int64_t{0}; });
}

graph layers(int count, bool own_weights) {
  graph g;
  value x = g.input("x", element::f32, {1, 2, 2, 1});
  for (int i = 0; i < count; ++i) {
    text<32> name;
    name << 'w' << (own_weights ? i : 0);
    x = relu(conv2d(x, g.weight(name.view(), {1, 1, 1, 1})));
  }
  g.output(x);
  return g;
}

}  // namespace

TEST_CASE("a plan of many steps") {
  const program p = plan_of(layers(9000, true));
  CHECK(std::string(p.error.view()) == "");
  CHECK(p.steps.size() == 9000);
}

TEST_CASE("more edges than a plan can number") {
  CHECK(std::string(plan_of(layers(17000, false)).error.view()) ==
        "the plan has more than 32767 edges: compile the model in parts");
}

TEST_CASE("more weights than a plan can number") {
  graph g;
  value sum = g.input("x", element::f32, {8});
  for (int i = 0; i < 33000; ++i) {
    text<32> name;
    name << 'w' << i;
    sum = sum + tkl::exp(g.weight(name.view(), {8}) * 2.0);
  }
  g.output(sum);
  const program p = plan_of(std::move(g));
  CHECK(p.error.view().find("32767") != std::string_view::npos);
}
