// SPDX-License-Identifier: Apache-2.0
// What a plan cannot hold is refused by name: more edges or load nodes than 16 bits number, more than four axes,
// outputs that are none.
#include <doctest/doctest.h>

#include <array>
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

TEST_CASE("more axes than a plan has") {
  graph input;
  input.output(input.input("x", element::f32, {1, 2, 3, 4, 5}) + 1.0);
  CHECK(std::string(plan_of(std::move(input)).error.view()) ==
        "value 'x' of shape 1x2x3x4x5 has 5 axes, inputs, outputs and operands have at most 4");
  graph weight;
  weight.output(weight.input("x", element::f32, {8, 4}) + reshape(weight.weight("w", {2, 2, 2, 2, 2}), {8, 4}));
  CHECK(std::string(plan_of(std::move(weight)).error.view()) == "value 'w' comes from a weight of more than 4 axes");
}

TEST_CASE("reshapes of tensors without elements, and pictures that are weights") {
  graph empty;
  empty.output(reshape(empty.input("x", element::f32, {0, 3, 4}), {0, 3}) + 1.0);
  CHECK(std::string(plan_of(std::move(empty)).error.view()) == "");
  graph picture;
  picture.output(conv2d(picture.weight("x", {1, 5, 5, 3}), picture.weight("w", {4, 3, 3, 3}), {.pad = 1}));
  CHECK(std::string(plan_of(std::move(picture)).error.view()) == "");
}

TEST_CASE("outputs that are none") {
  graph g, other;
  const value x = g.input("x", element::f32, {2, 3});
  graph layout = g, foreign = g, empty = g;
  layout.output({&layout, x.id}, "o", memory_layout::nchw);
  CHECK(std::string(layout.error.view()) == "output 'o': layout nchw needs 4 axes, the shape 2x3 has 2");
  foreign.output(other.input("y", element::f32, {2}), "o");
  CHECK(std::string(foreign.error.view()) == "output 'o': a value of another graph");
  empty.output(value{}, "o");
  CHECK(std::string(empty.error.view()) == "output 'o': an empty value");
}

TEST_CASE("a weight keeps the name of its tensor") {
  graph g;
  const value w = g.weight("w", {2}).named("gain");
  CHECK(g.name_at(w->name) == "w");
  CHECK(g.weight("w", {2}).id == w.id);
}

TEST_CASE("a name that is a part of the pool may be added again") {
  name_pool names;
  const std::int32_t first = names.add("a name of some length");
  while (names.size() < 100000) CHECK(names.at(names.add(names.at(first))) == "a name of some length");
}

namespace {
struct twice {
  static constexpr std::array<value, 3> build(graph& g) {
    const value x = g.input("x", element::f32, {2}), y = x + 1.0;
    g.output(x, "declared");
    return {y, x, y};
  }
};
}  // namespace

TEST_CASE("what a model returns twice is two outputs, what it declared is not declared again") {
  graph g;
  build_model<twice>(g);
  CHECK(g.outputs.size() == 3);
  CHECK(g.outputs[1].node == g.outputs[2].node);
}
