// SPDX-License-Identifier: Apache-2.0
// Building graphs: what nodes hold, weights by name, and the message of every mistake.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tkl/graph.hpp>

using tkl::f16;
using tkl::f32;
using tkl::graph;
using tkl::i32;
using tkl::u8;
using tkl::value;

namespace {

/// The first mistake in the graph that build(g) makes.
template <class Build>
std::string mistake(Build build) {
  graph g;
  build(g);
  return g.error.c_str();
}

/// The mistake of an op of one input.
template <class Op>
std::string mistake_of_one(const tkl::shape& s, Op op) {
  return mistake([&](graph& g) { op(g.input("x", f32, s)); });
}

struct small_model {
  static constexpr value build(graph& g) {
    const value x = g.input("image", u8, {1, 8, 8, 3});
    const value y = tkl::conv2d(tkl::cast(x, f32), g.weight("conv", {16, 3, 3, 3}), g.weight("bias", {16}),
                                {.stride = 2, .pad = {0, 0, 1, 1}});
    return tkl::softmax(tkl::linear(tkl::reshape(tkl::relu(y), {1, -1}), g.weight("fc", {10, 256})));
  }
};
static_assert(tkl::checked_model<small_model>::sound);

}  // namespace

TEST_CASE("nodes hold their operands and resolved attributes") {
  graph g;
  tkl::build_model<small_model>(g);
  REQUIRE(g.error.empty());
  REQUIRE(g.outputs.size() == 1);
  const tkl::node* conv = nullptr;
  for (const tkl::node& n : g.nodes)
    if (n.kind == tkl::op_kind::conv2d) conv = &n;
  REQUIRE(conv != nullptr);
  CHECK(conv->shape == tkl::shape{1, 4, 4, 16});
  CHECK(conv->inputs == 3);
  CHECK(conv->attr.kernel[0] == 3);
  CHECK(conv->attr.stride[1] == 2);
  CHECK(conv->attr.pad[0] == 0);
  CHECK(conv->attr.pad[3] == 1);
  const tkl::node& last = g.nodes[static_cast<std::size_t>(g.outputs[0].node)];
  CHECK(last.kind == tkl::op_kind::softmax);
  CHECK(last.shape == tkl::shape{1, 10});
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (int k = 0; k < g.nodes[i].inputs; ++k) CHECK(g.nodes[i].in[k] < static_cast<std::int32_t>(i));
}

TEST_CASE("automatic padding and the pooling stride are resolved in the node") {
  graph g;
  const value x = g.input("x", f32, {1, 7, 8, 4});
  const value c = tkl::conv2d(x, g.weight("w", {4, 4, 3, 4}), {.stride = 2, .pad = tkl::same_lower});
  CHECK(c->attr.pad[0] == 1);
  CHECK(c->attr.pad[1] == 1);
  CHECK(c->attr.pad[2] == 1);
  CHECK(c->attr.pad[3] == 1);
  const value d = tkl::conv2d(x, g.weight("w2", {4, 4, 2, 3}), {.pad = tkl::same_lower});
  CHECK(d->attr.pad[0] == 1);
  CHECK(d->attr.pad[2] == 0);
  const value p = tkl::max_pool2d(x, {.kernel = {3, 2}});
  CHECK(p->attr.stride[0] == 3);
  CHECK(p->attr.stride[1] == 2);
  CHECK(p.shape() == tkl::shape{1, 2, 4, 4});
}

TEST_CASE("the same weight name gives the same value, for any number of weights") {
  graph g;
  std::vector<value> all;
  for (int i = 0; i < 3000; ++i) {
    tkl::text<32> name;
    name << "layer." << i;
    all.push_back(g.weight(name.view(), {i % 7 + 1}));
  }
  for (int i = 0; i < 3000; ++i) {
    tkl::text<32> name;
    name << "layer." << i;
    REQUIRE(g.weight(name.view(), {i % 7 + 1}).id == all[static_cast<std::size_t>(i)].id);
  }
  CHECK(g.nodes.size() == 3000);
  CHECK(g.error.empty());
  g.weight("layer.5", {2});
  CHECK(g.error.view() == "weight 'layer.5': declared as f32 6 and again as f32 2");
}

TEST_CASE("a named weight names its op, otherwise its number and the nearest name before it do") {
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("image", f32, {1, 56, 56, 64}), g.weight("layer1.0.conv1", {64, 32, 3, 3}));
        }) == "conv2d 'layer1.0.conv1': input has 64 channels, weight expects 32");
  CHECK(mistake([](graph& g) {
          const value x = tkl::relu(g.input("image", f32, {1, 4, 4, 2}));
          tkl::max_pool2d(x, {.kernel = 5});
        }) ==
        "max_pool2d #2 after 'image': axis 1 (rows): the kernel does not fit: it covers 5 (kernel 5, dilation 1), the "
        "padded "
        "input has 4 (0 + 4 + 0)");
}

TEST_CASE("only the first mistake is kept, and what follows from it is silent") {
  graph g;
  const value x = g.input("x", f32, {1, 8, 8, 4});
  const value bad = tkl::conv2d(x, g.weight("first", {4, 5, 3, 3}));
  CHECK(!bad.valid());
  const value next = tkl::relu(tkl::conv2d(bad, g.weight("second", {4, 9, 3, 3})) + 1.0f);
  CHECK(!next.valid());
  CHECK(!tkl::concat(0, x, next).valid());
  CHECK(!tkl::split<2>(next, 0)[1].valid());
  tkl::conv2d(x, g.weight("third", {4, 6, 3, 3}));
  CHECK(g.error.view() == "conv2d 'first': input has 4 channels, weight expects 5");
}

TEST_CASE("values of two graphs, and empty values") {
  graph other;
  const value y = other.input("y", f32, {2});
  CHECK(mistake([&](graph& g) { g.input("x", f32, {2}) + y; }) ==
        "add #1 after 'x': operand 1 belongs to another graph than operand 0");
  CHECK(mistake([&](graph& g) { tkl::concat(0, g.input("x", f32, {2}), y); }) ==
        "concat #1 after 'x': operand 1 belongs to another graph than operand 0");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("x", f32, {1, 1, 1, 1}), value{});
        }) == "conv2d #1 after 'x': operand 1 is an empty value");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(value{}, g.weight("w", {1, 1, 1, 1}));
        }) == "conv2d 'w': operand 0 is an empty value");
  CHECK(other.error.empty());
}

TEST_CASE("convolution mistakes") {
  const auto conv = [](const tkl::shape& x, const tkl::shape& w, const tkl::conv2d_params& p) {
    return mistake([&](graph& g) { tkl::conv2d(g.input("x", f32, x), g.weight("c", w), p); });
  };
  CHECK(conv({1, 8, 8, 6}, {8, 1, 1, 1}, {.groups = 4}) ==
        "conv2d 'c': input has 6 channels, not a multiple of groups 4");
  CHECK(conv({1, 8, 8, 4}, {4, 4, 3, 3}, {.stride = 0}) ==
        "conv2d 'c': axis 1 (rows): stride is 0, must be at least 1");
  CHECK(conv({1, 8, 8, 4}, {4, 4, 3, 3}, {.stride = {1, -1}}) ==
        "conv2d 'c': axis 2 (columns): stride is -1, must be at least 1");
  CHECK(conv({1, 8, 8, 4}, {4, 4, 3, 3}, {.pad = -1}) ==
        "conv2d 'c': axis 1 (rows): pad before is -1, must be at least 0");
  CHECK(conv({1, 8, 8, 4}, {4, 4, 3, 3}, {.dilation = 0}) ==
        "conv2d 'c': axis 1 (rows): dilation is 0, must be at least 1");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("x", f32, {1, 8, 8, 4}), g.weight("c", {6, 4, 1, 1}), g.weight("b", {4}));
        }) == "conv2d 'c': bias has 4 elements, needs 6 output channels");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("x", f32, {1, 8, 8, 4}), g.weight("c", {6, 4, 1, 1}), g.weight("b", {1, 6}));
        }) == "conv2d 'c': bias has shape 1x6 with 2 axes, needs 1 axis of 6 output channels");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("x", u8, {1, 8, 8, 4}), g.weight("c", {6, 4, 1, 1}));
        }) == "conv2d 'c': input is u8, needs f32, f16 or bf16: cast it first");
  CHECK(mistake([](graph& g) {
          tkl::conv2d(g.input("x", f16, {1, 8, 8, 4}), g.weight("c", {6, 4, 1, 1}));
        }) == "conv2d 'c': input is f16, weight is f32: cast one of them");
  CHECK(mistake([](graph& g) {
          tkl::conv_transpose2d(g.input("x", f32, {1, 8, 8, 4}), g.weight("c", {4, 2, 2, 2}), {.output_pad = 1});
        }) ==
        "conv_transpose2d 'c': axis 1 (rows): output_pad is 1, must be below the larger of stride 1 and dilation 1");
  CHECK(mistake([](graph& g) {
          tkl::conv_transpose2d(g.input("x", f32, {1, 2, 2, 4}), g.weight("c", {4, 2, 2, 2}), {.pad = 2});
        }) == "conv_transpose2d 'c': axis 1 (rows): pads 2 and 2 leave -1 of an extent of 3");
}

TEST_CASE("row op mistakes") {
  CHECK(mistake([](graph& g) {
          tkl::matmul(g.input("a", f32, {2, 3}), g.input("b", f32, {4, 5}));
        }) == "matmul #2 after 'a': inner extents differ: first operand 2x3 has 3, second operand 4x5 has 4");
  CHECK(mistake([](graph& g) {
          tkl::matmul(g.input("a", f32, {2, 2, 3}), g.input("b", f32, {3, 3, 5}));
        }) == "matmul #2 after 'a': leading axes of 2x2x3 and 3x3x5 do not broadcast");
  CHECK(mistake([](graph& g) {
          tkl::matmul(g.input("a", f32, {3}), g.input("b", f32, {3, 5}));
        }) == "matmul #2 after 'a': first operand has shape 3, needs at least 2 axes");
  CHECK(mistake([](graph& g) {
          tkl::linear(g.input("x", f32, {1, 1280}), g.weight("fc", {1000, 1024}));
        }) == "linear 'fc': input has 1280 columns, weight 1000x1024 (out x in) expects 1024");
  CHECK(mistake([](graph& g) {
          tkl::linear(g.input("x", f32, {1, 4}), g.weight("fc", {8, 4}), g.weight("b", {4}));
        }) == "linear 'fc': bias has 4 elements, needs 8 output columns");
  CHECK(
      mistake([](graph& g) {
        const value v = g.weight("v", {4});
        tkl::batch_norm(g.input("x", f32, {1, 2, 2, 8}), g.weight("s", {8}), g.weight("o", {8}), g.weight("m", {8}), v);
      }) == "batch_norm 's': variance has 4 elements, needs 8 channels of the input");
  CHECK(mistake([](graph& g) {
          tkl::layer_norm(g.input("x", f32, {1, 8}), g.weight("s", {8}), g.weight("o", {8}), {.eps = -1});
        }) == "layer_norm 's': eps is -1, must be at least 0");
  CHECK(mistake_of_one({4, 0}, [](value x) { tkl::layer_norm(x); }) ==
        "layer_norm #1 after 'x': the last axis of shape 4x0 has 0 elements: its mean is undefined");
  CHECK(mistake_of_one({4, 3, 2}, [](value x) { tkl::softmax(x, 1); }) ==
        "softmax #1 after 'x': axis 1 is not the last of shape 4x3x2: transpose it to the end first");
  CHECK(mistake_of_one({1, 4, 120}, [](value x) { tkl::attention(x, x, x, {.heads = 7}); }) ==
        "attention #1 after 'x': q has 120 columns, not a multiple of heads 7");
  CHECK(mistake([](graph& g) {
          const value q = g.input("q", f32, {1, 4, 8}), k = g.input("k", f32, {1, 6, 8});
          tkl::attention(q, k, k, g.input("m", f32, {4, 5}), {.heads = 2});
        }) ==
        "attention #3 after 'q': mask has shape 4x5, does not broadcast to batch x heads x queries x keys = 1x2x4x6");
  CHECK(mistake([](graph& g) {
          const value q = g.input("q", f32, {1, 4, 8}), k = g.input("k", f32, {1, 6, 8});
          tkl::attention(q, k, q);
        }) == "attention #2 after 'q': k has 6 rows, v has 4");
  CHECK(mistake_of_one({1, 4, 120}, [](value x) { tkl::attention(x, x, x, {.heads = 8, .key_heads = 3}); }) ==
        "attention #1 after 'x': heads is 8, not a multiple of key_heads 3");
  CHECK(mistake_of_one({1, 4, 120}, [](value x) { tkl::attention(x, x, x, {.heads = 8, .key_heads = 0}); }) ==
        "attention #1 after 'x': key_heads is 0, must be at least 1");
  CHECK(mistake_of_one({1, 4, 120}, [](value x) { tkl::attention(x, x, x, {.heads = 8, .key_heads = 2}); }) ==
        "attention #1 after 'x': a head of q has 15 columns (120 for 8 heads), of k 60 (120 for 2)");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::reduce_mean(x, {0, 2});
        }) == "reduce_mean #1 after 'x': axis 2 is out of range for shape 4x3 with 2 axes");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::reduce_mean(x, {1, -1});
        }) == "reduce_mean #1 after 'x': axis 1 is given twice");
  CHECK(mistake_of_one({4, 0}, [](value x) { tkl::argmax(x, 1); }) ==
        "argmax #1 after 'x': axis 1 has 0 elements: only a sum may be taken over none");
  CHECK(mistake_of_one({4, 3}, [](value x) { tkl::global_average_pool(x); }) ==
        "global_average_pool #1 after 'x': input has shape 4x3 with 2 axes, needs 4: batch, row, column, channel");
}

TEST_CASE("layout op mistakes") {
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::reshape(x, {5, -1});
        }) == "reshape #1 after 'x': input 4x3 has 12 elements, not a multiple of 5 (5x?)");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::reshape(x, {5, 2});
        }) == "reshape #1 after 'x': input 4x3 has 12 elements, the new shape 5x2 has 10");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::reshape(x, {-1, -1});
        }) == "reshape #1 after 'x': axes 0 and 1 are both -1, only one may be");
  CHECK(mistake_of_one({4, 0}, [](value x) {
          tkl::reshape(x, {0, -1});
        }) == "reshape #1 after 'x': the extent -1 of 0x? cannot follow: another extent is 0");
  CHECK(mistake_of_one({4, 3}, [](value x) { tkl::slice(x, 2, 0, 1); }) ==
        "slice #1 after 'x': axis 2 is out of range for shape 4x3 with 2 axes");
  CHECK(mistake_of_one({4, 3}, [](value x) { tkl::slice(x, 1, 0, 1, 0); }) ==
        "slice #1 after 'x': axis 1: step is 0, from 0 to 1");
  CHECK(mistake_of_one({4, 3}, [](value x) { tkl::split<2>(x, 1); }) ==
        "split #1 after 'x': axis 1 has 3 elements, not a multiple of parts 2");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::transpose(x, {0, 0});
        }) == "transpose #1 after 'x': axis 0 stands in the permutation twice");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::transpose(x, {0, 2, 1});
        }) == "transpose #1 after 'x': the permutation has 3 axes, the input has 2 (4x3)");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::pad(x, {0, -1}, {0, 0});
        }) == "pad #1 after 'x': axis 1: pads -1 and 0 must not be negative (slice cuts)");
  CHECK(mistake_of_one({4, 3}, [](value x) {
          tkl::pad(x, {1}, {0, 0});
        }) == "pad #1 after 'x': before has 1 and after 2 numbers, the input has 2 axes");
  CHECK(mistake([](graph& g) { tkl::pad(g.input("x", u8, {2}), {1}, {1}, 256); }) ==
        "pad #1 after 'x': the value is 256, u8 holds whole numbers from 0 to 255");
  CHECK(mistake([](graph& g) {
          tkl::concat(2, g.input("a", f32, {1, 4, 5}), g.input("b", f32, {1, 3, 5}));
        }) == "concat #2 after 'a': axis 1: operand 1 has 3, operand 0 has 4 (joined along axis 2)");
  CHECK(mistake([](graph& g) {
          tkl::concat(0, g.input("a", f32, {1, 4}), g.input("b", f32, {4}));
        }) == "concat #2 after 'a': operand 1 has shape 4 with 1 axes, operand 0 has 2");
  CHECK(mistake([](graph& g) { tkl::concat(0, g.input("a", f32, {4}), g.input("b", u8, {4})); }) ==
        "concat #2 after 'a': operand 0 is f32, operand 1 is u8: cast one of them");
  CHECK(mistake_of_one({4}, [](value x) { tkl::concat(0, x, x, x, x, x, x, x, x, x); }) ==
        "concat #1 after 'x': 9 operands, at most 8 are possible");
  CHECK(mistake_of_one({1, 4, 4, 1}, [](value x) { tkl::resize(x, {}); }) ==
        "resize #1 after 'x': neither scale nor extent is given");
  CHECK(mistake_of_one({1, 4, 4, 1}, [](value x) { tkl::resize(x, {.scale = 2, .extent = 8}); }) ==
        "resize #1 after 'x': both scale 2x2 and extent 8x8 are given");
  CHECK(mistake_of_one({1, 4, 4, 1}, [](value x) {
          tkl::resize(x, {.scale = {1, -2}});
        }) == "resize #1 after 'x': axis 2 (columns): scale is -2, must be above 0");
  CHECK(mistake_of_one({1, 4, 4, 1}, [](value x) { tkl::resize(x, {.scale = 0.1}); }) ==
        "resize #1 after 'x': axis 1 (rows): input 4 times scale 0.1 is below 1: the result would be empty");
  CHECK(mistake_of_one({1, 4, 4, 1}, [](value x) {
          tkl::resize(x, {.extent = {8, 0}});
        }) == "resize #1 after 'x': axis 2 (columns): extent is 0, must be at least 1");
  CHECK(mistake([](graph& g) { tkl::keep_first(g.input("x", f32, {4}), g.input("n", f32, {1}), 0); }) ==
        "keep_first #2 after 'x': count is f32, needs i32");
  CHECK(mistake([](graph& g) { tkl::keep_first(g.input("x", f32, {4}), g.input("n", i32, {2}), 0); }) ==
        "keep_first #2 after 'x': count has shape 2, needs 1 element");
}

TEST_CASE("element-wise mistakes") {
  CHECK(mistake([](graph& g) {
          g.input("a", f32, {2, 3}) + g.input("b", f32, {2, 4});
        }) == "add #2 after 'a': shapes 2x3 and 2x4 do not broadcast: axis 1 has 3 and 4");
  CHECK(mistake([](graph& g) {
          g.input("a", u8, {2, 3}) * 2.0f;
        }) == "mul #2 after 'a': operand 0 is u8, needs f32, f16 or bf16: cast it first");
  CHECK(mistake([](graph& g) { tkl::max(g.input("a", f32, {2}), g.input("b", f16, {2})); }) ==
        "max #2 after 'a': operand 0 is f32, operand 1 is f16: cast one of them");
  CHECK(mistake([](graph& g) { tkl::relu(g.input("a", tkl::i8, {2})); }) ==
        "relu #1 after 'a': operand 0 is i8, needs f32, f16 or bf16: cast it first");
}

TEST_CASE("sizes beyond 64 bits are refused by name") {
  constexpr std::int64_t wide = std::int64_t{1} << 40;
  CHECK(mistake([](graph& g) {
          g.input("x", f32, {wide, wide});
        }) == "input 'x': extents 1099511627776x1099511627776 are not static or their product leaves 64 bits");
  CHECK(mistake([](graph& g) {
          g.weight("w", {-1, 3});
        }) == "weight 'w': extents ?x3 are not static or their product leaves 64 bits");
  CHECK(mistake([](graph& g) {
          g.input("a", f32, {wide, 1}) + g.input("b", f32, {1, wide});
        }) == "add #2 after 'a': the result's extents 1099511627776x1099511627776 have a product beyond 64 bits");
  CHECK(mistake_of_one({1, 1, 1, 1}, [](value x) {
          tkl::pad(x, {0, 0, std::numeric_limits<std::int64_t>::max(), 0}, {0, 0, 0, 0});
        }) == "pad #1 after 'x': axis 2: extent 1 with pads 9223372036854775807 and 0 leaves 64 bits");
}

TEST_CASE("models that return nothing usable") {
  struct empty_value {
    static constexpr value build(graph&) { return {}; }
  };
  struct nothing {
    static constexpr void build(graph& g) { g.input("x", f32, {1}); }
  };
  struct two {
    static constexpr std::array<value, 2> build(graph& g) {
      const value x = g.input("x", f32, {1});
      g.output(x, "named");
      return {x, -x};
    }
  };
  CHECK(tkl::mistake_of<empty_value>().view() == "the model returns an empty value");
  CHECK(tkl::mistake_of<nothing>().view() == "the model has no output");
  graph g;
  tkl::build_model<two>(g);
  CHECK(g.error.empty());
  CHECK(g.outputs.size() == 2);
}

TEST_CASE("cost of nodes") {
  graph g;
  const value x = g.input("x", f32, {1, 8, 8, 16});
  const value c = tkl::conv2d(x, g.weight("w", {32, 16, 3, 3}), g.weight("b", {32}), {.pad = 1});
  CHECK(tkl::cost_of(g, c.id).flops.value == 2 * 64 * 32 * 144 + 64 * 32);
  CHECK(tkl::cost_of(g, c.id).bytes.value == 4 * (64 * 16 + 32 * 144 + 32 + 64 * 32));
  const value d = tkl::conv2d(x, g.weight("dw", {16, 1, 5, 5}), {.pad = 2, .groups = 16});
  CHECK(tkl::cost_of(g, d.id).flops.value == 2 * 64 * 16 * 25);
  const value t = tkl::conv_transpose2d(x, g.weight("t", {16, 4, 2, 2}), {.stride = 2});
  CHECK(tkl::cost_of(g, t.id).flops.value == 2 * 64 * 16 * 4 * 4);
  const value m = tkl::linear(tkl::reshape(x, {64, 16}), g.weight("fc", {10, 16}));
  CHECK(tkl::cost_of(g, m.id).flops.value == 2 * 64 * 10 * 16);
  const value a = tkl::attention(tkl::reshape(x, {1, 64, 16}), tkl::reshape(x, {1, 64, 16}),
                                 tkl::reshape(x, {1, 64, 16}), {.heads = 2});
  CHECK(tkl::cost_of(g, a.id).flops.value == 2 * 64 * 64 * 16 * 2 + 64 * 64 * 2 * 6);
  CHECK(tkl::cost_of(g, x.id).bytes.value == 0);
}
