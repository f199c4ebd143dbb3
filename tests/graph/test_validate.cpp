// SPDX-License-Identifier: Apache-2.0
// The plan validator: sound plans pass, and each planted fault is refused with a message that names step, edge and
// ranges.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/graph/validate.hpp>
#include <utility>

#include "support/hand_plan.hpp"

using support::hand_plan;
using tkl::algorithm;
using tkl::space;

namespace {

std::string fault(const hand_plan& h) {
  const tkl::status s = tkl::validate(tkl::view_of(h.p));
  return s.message();
}

/// x -> conv a -> conv b -> conv c -> out; a at [0, 64), b at [64, 128), c at [0, 64): a's room is used again.
struct chain {
  hand_plan h{};
  int x, w, a, b, c, out;
  constexpr chain() {
    x = h.input("x", 16);
    w = h.weight("w", 32);
    a = h.value("a", 16, 0);
    b = h.value("b", 16, 64);
    c = h.value("c", 16, 0);
    out = h.output("out", 16);
    add("conv a", x, a), add("conv b", a, b), add("conv c", b, c), add("conv out", c, out);
  }
  constexpr void add(std::string_view name, int from, int to) {
    h.step(algorithm::conv2d, name, {from}, to).weight = static_cast<std::int16_t>(w);
  }
};

/// x -> a; y = f(a) in place; out = y.
struct in_place_chain {
  hand_plan h{};
  int x, a, y, out;
  constexpr explicit in_place_chain(algorithm f) {
    x = h.input("x", 16);
    a = h.value("a", 16, 0);
    y = h.value("y", 16, 0);
    h.storage_of(y).root = h.p.edge_storage[static_cast<std::size_t>(a)];
    out = h.output("out", 16);
    h.step(algorithm::conv2d, "make a", {x}, a);
    h.step(f, "f", {a}, y);
    h.step(algorithm::map, "copy", {y}, out);
  }
};

/// Two convolutions write the halves of each pixel of `cat` (4 pixels, 2 + 6 channels); a third reads it.
struct concatenation {
  hand_plan h{};
  int x, left, right, whole, out;
  constexpr concatenation() {
    x = h.input("x", 32);
    h.p.arena_bytes = 128;
    const std::int32_t cat = h.storage(space::arena, "cat", 128, 0);
    left = h.matrix(cat, 4, 2, 8, 0, "left");
    right = h.matrix(cat, 4, 6, 8, 2, "right");
    whole = h.vector(cat, 32);
    out = h.output("out", 32);
    h.step(algorithm::conv2d, "left", {x}, left);
    h.step(algorithm::conv2d, "right", {x}, right);
    h.step(algorithm::conv2d, "reader", {whole}, out);
  }
};

constexpr bool sound(const hand_plan& h) {
  return tkl::validate(tkl::view_of(h.p)).ok();
}
static_assert(sound(chain{}.h));
static_assert(sound(concatenation{}.h));
static_assert(sound(in_place_chain(algorithm::softmax).h));
static_assert(!sound(in_place_chain(algorithm::pool2d).h));

}  // namespace

TEST_CASE("sound plans pass") {
  CHECK(fault(chain{}.h) == "");
  CHECK(fault(concatenation{}.h) == "");
  for (algorithm a : {algorithm::map, algorithm::softmax, algorithm::layer_norm})
    CHECK(fault(in_place_chain(a).h) == "");
  CHECK(fault(hand_plan{}) == "");
}

TEST_CASE("overlapping live ranges") {
  chain p;
  p.h.move(p.c, 64);  // c over b, which the same step reads
  CHECK(fault(p.h) ==
        "step 2 'conv c' (conv2d) writes edge 4 'c' [64, 128) over edge 3 'b' [64, 128), which it reads: not "
        "in place, or extents, strides or element sizes differ");
  chain q;  // b and c live while d is written over a third of b
  const int d = q.h.value("d", 5, 64);
  q.h.step(algorithm::map, "d", {q.x}, d);
  std::swap(q.h.p.steps[2], q.h.p.steps[4]);
  std::swap(q.h.p.steps[3], q.h.p.steps[4]);
  CHECK(fault(q.h).substr(0, 12) == "step 3 'conv");
}

TEST_CASE("use before write") {
  chain p;
  std::swap(p.h.p.steps[1], p.h.p.steps[2]);
  CHECK(fault(p.h) ==
        "step 1 'conv c' reads edge 3 'b' [64, 128) of the arena, but only 0 of its 64 bytes are written before");
  concatenation c;
  std::swap(c.h.p.steps[1], c.h.p.steps[2]);
  CHECK(fault(c.h) ==
        "step 1 'reader' reads edge 3 'cat' [0, 128) of the arena, but only 32 of its 128 bytes are written before");
}

TEST_CASE("use after the room was given away") {
  chain p;
  p.add("late", p.a, p.out);  // a again, but c lies there
  CHECK(fault(p.h) ==
        "step 4 'late' reads edge 2 'a' [0, 64) of the arena, but step 2 'conv c' wrote edge 4 'c' [0, 64) over it");
}

TEST_CASE("a view that outlives its storage: x = 2 i; b = reshape x; m = mean b; t = 10 m over x's room; out = b - t") {
  hand_plan h;
  const int i = h.input("i", 4);
  const int x = h.value("x", 4, 0);
  const int b = h.matrix(h.p.edge_storage[static_cast<std::size_t>(x)], 2, 1, 2, 0, "b");
  const int m = h.value("m", 2, 64);
  const int t = h.value("t", 2, 0);
  const int out = h.output("out", 2);
  h.step(algorithm::map, "double", {i}, x);
  h.step(algorithm::reduce, "mean", {b}, m);
  h.step(algorithm::map, "times ten", {m}, t);
  h.step(algorithm::map, "difference", {b, t}, out);
  CHECK(fault(h) ==
        "step 3 'difference' reads edge 2 'b' [0, 12) (a view of storage 1 'x' [0, 16)) of the arena, but step 2 "
        "'times ten' wrote edge 4 't' [0, 8) over it");
  h.move(t, 128);
  h.p.arena_bytes = 192;
  CHECK(fault(h) == "");
}

TEST_CASE("a result that nobody reads still needs room of its own while it is written") {
  hand_plan h;
  const int x = h.input("x", 8);
  const int kept = h.value("kept", 4, 0);
  const int unused = h.value("unused", 4, 0);
  const int out = h.output("out", 4);
  h.step(algorithm::pool2d, "pool", {x}, kept);
  h.step(algorithm::pool2d, "indices", {x}, unused);
  h.step(algorithm::map, "copy", {kept}, out);
  CHECK(fault(h) ==
        "step 2 'copy' reads edge 1 'kept' [0, 16) of the arena, but step 1 'indices' wrote edge 2 'unused' [0, 16) "
        "over it");
  h.move(unused, 64);
  h.p.arena_bytes = 128;
  CHECK(fault(h) == "");
}

TEST_CASE("wrong alignment") {
  chain p;
  p.h.move(p.b, 32);
  CHECK(fault(p.h) == "storage 3 'b': its offset 96 in the arena is not a multiple of 64");
  concatenation c;
  c.h.p.edges[static_cast<std::size_t>(c.right)].offset += 2;
  CHECK(fault(c.h) == "edge 2 'right' [10, 130): its offset 10 is not a multiple of its element size 4");
}

TEST_CASE("ranges that leave their space or their storage") {
  chain p;
  p.h.p.arena_bytes = 100;
  CHECK(fault(p.h) == "storage 3 'b' [64, 128) leaves the arena of 100 bytes");
  chain q;
  q.h.p.weights_bytes = 64;
  CHECK(fault(q.h) == "storage 1 'w' [0, 128) leaves the weights of 64 bytes");
  chain negative;
  negative.h.move(negative.a, -64);
  CHECK(fault(negative.h) == "storage 2 'a' [-64, 0) leaves the arena of 128 bytes");
  concatenation c;
  c.h.p.edges[static_cast<std::size_t>(c.right)].offset += 4;
  CHECK(fault(c.h) == "edge 2 'right' [12, 132) leaves its storage 1 'cat' [0, 128)");
  chain input;
  input.h.p.edges[static_cast<std::size_t>(input.x)].extent[2] = 2;
  input.h.p.edges[static_cast<std::size_t>(input.x)].stride[2] = 16;
  CHECK(fault(input.h) == "edge 0 'x' [0, 128) leaves its storage 0 'x' [0, 64)");
  chain flipped;
  flipped.h.p.edges[static_cast<std::size_t>(flipped.out)].stride[3] = -1;
  CHECK(fault(flipped.h) == "edge 5 'out' [-60, 4) leaves its storage 5 'out' [0, 64)");
}

TEST_CASE("extents that are negative, sizes that leave 64 bits") {
  chain p;
  p.h.p.edges[static_cast<std::size_t>(p.b)].extent[1] = -3;
  CHECK(fault(p.h) == "edge 3 'b': extent -3 of axis 1 is negative");
  chain q;
  tkl::edge& e = q.h.p.edges[static_cast<std::size_t>(q.b)];
  for (int i = 0; i < 4; ++i) e.extent[i] = 0x7fffffff, e.stride[i] = 0x7fffffff;
  CHECK(fault(q.h) == "edge 3 'b': its bytes leave 64 bits");
}

TEST_CASE("writes to what is only read") {
  chain p;
  p.add("to x", p.c, p.x);
  CHECK(fault(p.h) == "step 4 'to x' writes edge 0 'x' [0, 64) in the input, which is only read");
  chain q;
  q.add("to w", q.c, q.w);
  CHECK(fault(q.h) == "step 4 'to w' writes edge 1 'w' [0, 128) in the weights, which is only read");
}

TEST_CASE("outputs that are not written, or written and lost") {
  chain p;
  p.h.p.steps.pop_back();
  CHECK(fault(p.h) ==
        "the caller reads edge 5 'out' [0, 64) of the output, but only 0 of its 64 bytes are written at the end");
  chain q;
  q.h.p.edges.push_back(q.h.p.edges[static_cast<std::size_t>(q.out)]);
  q.h.p.edges.back().extent[3] = 15;
  q.h.p.edge_storage.push_back(q.h.p.edge_storage[static_cast<std::size_t>(q.out)]);
  q.h.p.steps.back().out = static_cast<std::int16_t>(q.h.p.edges.size() - 1);
  CHECK(fault(q.h) ==
        "the caller reads edge 5 'out' [0, 64) of the output, but only 60 of its 64 bytes are written at the end");
  chain twice;
  twice.add("again", twice.x, twice.out);
  CHECK(fault(twice.h) ==
        "step 4 'again' writes edge 5 'out' [0, 64), which step 3 'conv out' has written as edge 5 'out' [0, 64)");
  chain wrong;
  wrong.h.p.outputs[0] = static_cast<std::int16_t>(wrong.c);
  CHECK(fault(wrong.h) == "output 0: edge 4 is not an edge of output 0");
}

TEST_CASE("in place where the algorithm reads more than the element that it writes") {
  for (algorithm a :
       {algorithm::conv2d, algorithm::depthwise, algorithm::pool2d, algorithm::matmul, algorithm::attention,
        algorithm::resize2d, algorithm::reduce, algorithm::pad, algorithm::conv_transpose2d}) {
    const std::string said = fault(in_place_chain(a).h);
    CHECK(said.find("writes edge 2 'y' [0, 64) over edge 1 'a' [0, 64), which it reads: not in place") !=
          std::string::npos);
    CHECK(said.find(tkl::name_of(a)) != std::string::npos);
  }
}

TEST_CASE("in place with other strides, another element size, another offset") {
  in_place_chain transposed(algorithm::map);
  tkl::edge& e = transposed.h.p.edges[static_cast<std::size_t>(transposed.y)];
  e.extent[2] = 4, e.extent[3] = 4, e.stride[2] = 1, e.stride[3] = 4;
  CHECK(fault(transposed.h).find("not in place, or extents, strides or element sizes differ") != std::string::npos);
  in_place_chain narrowed(algorithm::map);
  narrowed.h.p.edges[static_cast<std::size_t>(narrowed.y)].type = tkl::f16;
  CHECK(fault(narrowed.h).find("element sizes differ") != std::string::npos);
  in_place_chain flipped(algorithm::map);
  flipped.h.p.edges[static_cast<std::size_t>(flipped.y)].stride[3] = -1;
  flipped.h.p.edges[static_cast<std::size_t>(flipped.y)].offset = 60;
  CHECK(fault(flipped.h).find("strides") != std::string::npos);
  in_place_chain shifted(algorithm::softmax);
  shifted.h.p.edges[static_cast<std::size_t>(shifted.y)].offset = 4;
  shifted.h.p.edges[static_cast<std::size_t>(shifted.y)].extent[3] = 15;
  CHECK(fault(shifted.h).find("not in place") != std::string::npos);
}

TEST_CASE("in place before another reader of the same value: d = a + b, e = -b over b") {
  for (bool right : {true, false}) {
    hand_plan h;
    const int x = h.input("x", 2);
    const int b = h.value("b", 2, 0);
    const int e = h.value("e", 2, 0);
    h.storage_of(e).root = h.p.edge_storage[static_cast<std::size_t>(b)];
    const int d = h.output("d", 2);
    const int f = h.output("f", 2);
    h.step(algorithm::map, "b", {x}, b);
    h.step(algorithm::map, "d", {x, b}, d);
    h.step(algorithm::map, "e", {b}, e);
    h.step(algorithm::map, "f", {e}, f);
    if (!right) std::swap(h.p.steps[1], h.p.steps[2]);
    CHECK(fault(h) ==
          (right ? ""
                 : "step 2 'd' reads edge 1 'b' [0, 8) of the arena, but step 1 'e' wrote edge 2 'e' [0, 8) over it"));
  }
}

TEST_CASE("a residual may be written over where the epilogue reads it, not where it broadcasts or is the input too") {
  hand_plan h;
  const int x = h.input("x", 16);
  const int r = h.value("r", 16, 0);
  const int y = h.value("y", 16, 0);
  h.storage_of(y).root = h.p.edge_storage[static_cast<std::size_t>(r)];
  const int out = h.output("out", 16);
  h.step(algorithm::map, "r", {x}, r);
  h.step(algorithm::conv2d, "conv", {x}, y).operand[0] = static_cast<std::int16_t>(r);
  h.step(algorithm::map, "copy", {y}, out);
  CHECK(fault(h) == "");
  hand_plan both = h;
  both.p.steps[1].in[0] = static_cast<std::int16_t>(r);
  CHECK(fault(both).find("step 1 'conv' (conv2d) writes edge 2 'y' [0, 64) over edge 1 'r' [0, 64)") !=
        std::string::npos);
  hand_plan repeated = h;
  tkl::edge row = h.p.edges[static_cast<std::size_t>(r)];
  row.stride[3] = 0;
  repeated.p.edges.push_back(row);
  repeated.p.edge_storage.push_back(h.p.edge_storage[static_cast<std::size_t>(r)]);
  repeated.p.steps[1].operand[0] = static_cast<std::int16_t>(repeated.p.edges.size() - 1);
  CHECK(fault(repeated).find("strides") != std::string::npos);
}

TEST_CASE("x * x in place: both operands and the result are one") {
  in_place_chain p(algorithm::map);
  p.h.p.steps[1].operand[0] = p.h.p.steps[1].operand[1] = static_cast<std::int16_t>(p.a);
  CHECK(fault(p.h) == "");
}

TEST_CASE("scratch is alive during its step, beside inputs and output") {
  for (int over : {0, 1, 2}) {
    chain p;
    const int scratch = p.h.value("scratch", 16, over * 64);
    p.h.p.steps[1].scratch = static_cast<std::int16_t>(scratch);
    const std::string wanted[] = {
        "step 1 'conv b': its scratch edge 6 'scratch' [0, 64) overlaps edge 2 'a' [0, 64), which it uses",
        "step 1 'conv b': its scratch edge 6 'scratch' [64, 128) overlaps edge 3 'b' [64, 128), which it uses", ""};
    CHECK(fault(p.h) == wanted[over]);
  }
  chain q;  // c is written by step 2; step 3 reads it after a scratch was over it
  const int scratch = q.h.value("scratch", 4, 0);
  q.add("more", q.x, q.h.value("d", 16, 192));
  std::swap(q.h.p.steps[3], q.h.p.steps[4]);
  q.h.p.steps[3].scratch = static_cast<std::int16_t>(scratch);
  CHECK(fault(q.h) ==
        "step 4 'conv out' reads edge 4 'c' [0, 64) of the arena, but step 3 'more' wrote edge 6 'scratch' [0, 16) "
        "over it");
}

TEST_CASE("an output whose elements overlap") {
  chain p;
  tkl::edge& e = p.h.p.edges[static_cast<std::size_t>(p.b)];
  e.stride[3] = 0;
  CHECK(fault(p.h) == "step 1 'conv b' writes edge 3 'b' [64, 68), whose elements overlap each other");
}

TEST_CASE("numbers that name nothing") {
  chain p;
  p.h.p.steps[1].in[0] = 99;
  CHECK(fault(p.h) == "step 1 'conv b': its operand is edge 99, the plan has 6");
  chain no_output;
  no_output.h.p.steps[1].out = -1;
  CHECK(fault(no_output.h) == "step 1 'conv b': its output is edge -1, the plan has 6");
  chain kernel;
  kernel.h.p.steps[2].kernel = 4;
  CHECK(fault(kernel.h) == "step 2 'conv c': its kernel is 4, the plan has 4");
  chain owner;
  owner.h.p.edge_storage[3] = 6;
  CHECK(fault(owner.h) == "edge 3 'b': its storage is 6, the plan has 6");
  chain loop;
  loop.h.p.storages[3].root = 4;
  loop.h.p.storages[4].root = 3;
  CHECK(fault(loop.h) == "storage 3 'b': its root is storage 4, which leads nowhere");
  chain space_of;
  space_of.h.p.edges[static_cast<std::size_t>(space_of.b)].where = space::weights;
  CHECK(fault(space_of.h) ==
        "edge 3 'b' [64, 128): lies in the weights (index -1), its storage 3 in the arena (index -1)");
  chain weight;
  weight.h.p.steps[1].weight = static_cast<std::int16_t>(weight.x);
  CHECK(fault(weight.h) == "step 1 'conv b' takes packed weights from edge 0 'x' [0, 64) in the input");
  chain port;
  port.h.p.inputs.clear();
  CHECK(fault(port.h) == "edge 0 'x' [0, 64): input 0, the plan has 0");
}

TEST_CASE("parts of a concatenation that overlap") {
  concatenation c;
  c.h.p.edges[static_cast<std::size_t>(c.left)].extent[3] = 3;
  CHECK(fault(c.h) ==
        "step 1 'right' writes edge 2 'right' [8, 128), which step 0 'left' has written as edge 1 'left' [0, 108)");
}

TEST_CASE("an in-place storage that is larger than its root") {
  in_place_chain p(algorithm::map);
  p.h.storage_of(p.y).bytes = 128;
  CHECK(fault(p.h) == "storage 2 'y': 128 bytes in place of storage 1 with 64");
}
