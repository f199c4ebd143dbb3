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
  CHECK(std::string(plan_of(std::move(weight)).error.view()) ==
        "weight 'w': shape 2x2x2x2x2 has 5 axes, a weight has at most 4");
}

namespace {

constexpr std::int64_t longest = 0x7fffffff;  // the longest axis of a plan
std::string mistake_of(graph&& g) {
  REQUIRE(std::string(g.error.view()) == "");
  return plan_of(std::move(g)).error.c_str();
}
/// The mistake of a plan whose graph `build` makes of an input with these extents.
template <class F>
std::string mistake_with(const shape& input, const F& build, element type = element::f32) {
  graph g;
  g.output(build(g, g.input("x", type, input)));
  return mistake_of(std::move(g));
}

}  // namespace

TEST_CASE("values of more bytes than 64 bits count are refused by name, shape and element size") {
  const auto one_more = [](graph&, value x) { return x + 1.0; };
  CHECK(mistake_with({longest, longest, 2}, one_more) ==
        "input 'x': its value of shape 2147483647x2147483647x2, 4 bytes per element, takes more than "
        "9223372036854775807 bytes");
  CHECK(mistake_with({longest, longest, 1}, one_more) ==
        "input 'x': its value of shape 2147483647x2147483647x1, 4 bytes per element, takes more than "
        "9223372036854775807 bytes");
  const auto as_numbers = [](graph&, value x) { return cast(x, element::f32).named("numbers"); };
  CHECK(mistake_with({longest, longest}, as_numbers, element::u8) ==
        "cast 'numbers': its value of shape 2147483647x2147483647, 4 bytes per element, takes more than "
        "9223372036854775807 bytes");
  CHECK(mistake_with({longest, 1},
                     [](graph& g, value x) {
                       return softmax(x + g.input("y", element::f32, {1, longest})).named("odds");
                     }) ==
        "softmax 'odds': its value of shape 2147483647x2147483647, 4 bytes per element, takes more than "
        "9223372036854775807 bytes");
}

TEST_CASE("weights of more bytes than 64 bits count are refused by name") {
  CHECK(mistake_with({1, longest}, [](graph& g, value x) {
          return linear(x, g.weight("head", {longest, longest}));
        }) == "weight 'head': its packed weights take more than 9223372036854775807 bytes");
  CHECK(mistake_with({1, 1, 1, 1}, [](graph& g, value x) {
          return reduce_sum(x + g.weight("all", {1, longest, longest, 1}), {1, 2});
        }) == "weight 'all': its packed weights take more than 9223372036854775807 bytes");
  constexpr std::int64_t half = 1 << 30;
  CHECK(mistake_with({1, 1}, [](graph& g, value x) {
          return x + g.weight("first", {half, half}) * x + g.weight("second", {half, half});
        }) == "weight 'second': with it, all packed weights take more than 9223372036854775807 bytes");
}

TEST_CASE("steps of more arithmetic than 64 bits count are refused by name") {
  constexpr std::int64_t million = 1 << 20;
  CHECK(mistake_with({million, million}, [](graph& g, value x) {
          return matmul(x, g.input("other", element::f32, {million, million})).named("product");
        }) == "");
  CHECK(mistake_with({2 * million, 2 * million}, [](graph& g, value x) {
          return matmul(x, g.input("other", element::f32, {2 * million, 2 * million})).named("product");
        }) == "matmul 'product': it takes more than 9223372036854775807 arithmetic operations");
  CHECK(mistake_with({million, million}, [](graph& g, value x) {
          for (int i = 0; i < 4; ++i) x = matmul(x, g.input("", element::f32, {million, million}));
          return x.named("last");
        }) == "matmul 'last': with it, all steps together take more than 9223372036854775807 arithmetic operations");
  CHECK(mistake_with({1, longest, 1 << 10, 1 << 10}, [](graph& g, value x) {
          return conv2d(x, g.weight("filter", {1 << 10, 1 << 10, 3, 3}), {.pad = 1});
        }) == "conv2d 'filter': it takes more than 9223372036854775807 arithmetic operations");
}

TEST_CASE("plans that move more bytes than 64 bits count are refused by name") {
  constexpr std::int64_t rows = 1 << 28;
  CHECK(mistake_with({rows, longest}, [](graph&, value x) { return softmax(x); }) == "");
  CHECK(mistake_with({2 * rows, longest}, [](graph&, value x) { return softmax(x).named("odds"); }) == "");
  CHECK(mistake_with({2 * rows, longest}, [](graph&, value x) { return softmax(softmax(x)).named("odds of odds"); }) ==
        "softmax 'odds of odds': with it, all steps together read and write more than 9223372036854775807 bytes");
}

TEST_CASE("two inputs, or two outputs, of one name") {
  const auto mistake = [](const graph& g) { return std::string(g.error.view()); };
  graph given, renamed, outputs;
  const value x = given.input("x", element::f32, {2, 3});
  CHECK(!(x + given.input("x", element::u8, {4})).valid());
  CHECK(mistake(given) == "input 'x': declared with shape 2x3 and again with shape 4; each input needs its own name");
  CHECK(given.inputs.size() == 1);
  const value a = renamed.input("x", element::f32, {2}).named("x").named("a");
  const value b = renamed.input("x", element::f32, {3});  // the name is free again
  renamed.weight("a", {2}), renamed.output(a, "a");       // weights and outputs have names of their own
  renamed.input("", element::f32, {2}), renamed.input("", element::f32, {2});  // no names
  CHECK(mistake(renamed) == "");
  CHECK(!b.named("a").valid());
  CHECK(mistake(renamed) == "input 'a': declared with shape 2 and again with shape 3; each input needs its own name");
  const value y = outputs.input("y", element::f32, {2, 3}), z = y + 1.0;
  outputs.output(z, "z"), outputs.output(y, "y"), outputs.output(z), outputs.output(z);
  CHECK(mistake(outputs) == "");
  CHECK(!outputs.output(reshape(y, {6}), "z").valid());
  CHECK(mistake(outputs) ==
        "output 'z': declared with shape 2x3 and again with shape 6; each output needs its own name");
  CHECK(outputs.outputs.size() == 4);
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
