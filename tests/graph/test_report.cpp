// SPDX-License-Identifier: Apache-2.0
// The report: expressions in infix form, costs, the table.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <tkl/graph/attributes.hpp>
#include <tkl/graph/report.hpp>

#include "support/hand_plan.hpp"

using support::hand_plan;
using tkl::algorithm;
using tkl::expr_code;
using tkl::leaf_kind;
using tkl::symbol;

namespace {

constexpr symbol acc = symbol::leaf(leaf_kind::acc);
constexpr symbol channel = symbol::leaf(leaf_kind::channel);
constexpr symbol whole = symbol::leaf(leaf_kind::element);
constexpr symbol number = symbol::leaf(leaf_kind::literal);
template <class F>
constexpr symbol call = symbol::function(tkl::function_index<F>);
namespace fn = tkl::fn;

constexpr expr_code code(std::initializer_list<symbol> symbols) {
  expr_code c;
  for (symbol s : symbols) c.push(s);
  return c;
}

/// A plan of one convolution x -> y with this epilogue; slots 0 to 2 are s (per channel), r (a tensor), and a literal.
struct one_step {
  hand_plan h{};
  explicit one_step(const expr_code& epilogue, float literal = 0.5f) {
    const int x = h.input("x", 16), s = h.weight("s", 16), r = h.value("r", 16, 0), y = h.output("y", 16);
    h.step(algorithm::map, "r", {x}, r);
    tkl::step& conv = h.step(algorithm::conv2d, "conv", {x}, y);
    conv.operand[0] = static_cast<std::int16_t>(s);
    conv.operand[1] = static_cast<std::int16_t>(r);
    conv.literal[2] = literal;
    h.p.keys[1].epilogue = epilogue;
  }
  std::string text() const { return tkl::epilogue_text(tkl::view_of(h.p), h.p.steps[1]); }
};

}  // namespace

TEST_CASE("expressions are written as one would") {
  CHECK(one_step({}).text() == "");
  CHECK(one_step(code({acc, call<fn::relu>})).text() == "relu(acc)");
  CHECK(one_step(code({acc, channel, call<fn::mul>, whole, call<fn::add>})).text() == "acc * s[c] + r");
  CHECK(one_step(code({acc, channel, call<fn::add>, whole, call<fn::mul>})).text() == "(acc + s[c]) * r");
  CHECK(one_step(code({acc, channel, call<fn::sub>, whole, call<fn::sub>})).text() == "acc - s[c] - r");
  CHECK(one_step(code({acc, channel, whole, call<fn::sub>, call<fn::sub>})).text() == "acc - (s[c] - r)");
  CHECK(one_step(code({acc, channel, whole, call<fn::mul>, call<fn::div>})).text() == "acc / (s[c] * r)");
  CHECK(one_step(code({acc, channel, whole, call<fn::affine>})).text() == "acc * s[c] + r");
  CHECK(one_step(code({acc, channel, call<fn::add>, call<fn::neg>})).text() == "-(acc + s[c])");
  CHECK(one_step(code({acc, channel, call<fn::less>, acc, whole, call<fn::select>})).text() == "acc < s[c] ? acc : r");
  CHECK(one_step(code({acc, channel, whole, call<fn::clip>})).text() == "clip(acc, s[c], r)");
  CHECK(one_step(code({acc, channel, call<fn::mul>, whole, call<fn::mul>, number, call<fn::add>})).text() ==
        "acc * s[c] * r + 0.5");
  CHECK(one_step(code({acc, channel, call<fn::add>, whole, call<fn::add>, number, call<fn::mul>}), -2).text() ==
        "(acc + s[c] + r) * -2");
}

TEST_CASE("the algorithm is written with what its kernel does") {
  const auto written = [](algorithm a, std::uint8_t mode) {
    hand_plan h;
    const int x = h.input("x", 16), y = h.output("y", 16);
    h.step(a, "s", {x}, y);
    h.p.keys[0].variant[0] = mode;
    return tkl::algorithm_text(tkl::view_of(h.p), h.p.steps[0]);
  };
  CHECK(written(algorithm::pool2d, static_cast<std::uint8_t>(tkl::pool_kind::max)) == "pool2d max");
  CHECK(written(algorithm::pool2d, static_cast<std::uint8_t>(tkl::pool_kind::average)) == "pool2d average");
  CHECK(written(algorithm::reduce, static_cast<std::uint8_t>(tkl::reduce_kind::mean)) == "reduce mean");
  CHECK(written(algorithm::reduce, static_cast<std::uint8_t>(tkl::reduce_kind::argmax)) == "reduce argmax");
  CHECK(written(algorithm::resize2d, static_cast<std::uint8_t>(tkl::resize_kind::bilinear)) == "resize2d bilinear");
  CHECK(written(algorithm::softmax, 0) == "softmax");
  CHECK(written(algorithm::conv2d, 0) == "conv2d");
}

TEST_CASE("costs follow from algorithm and extents") {
  hand_plan h;
  const int x = h.input("x", 6 * 4);
  const int y = h.output("y", 6 * 8);
  tkl::edge& ex = h.p.edges[static_cast<std::size_t>(x)];
  ex.extent[2] = 6, ex.extent[3] = 4, ex.stride[2] = 4;
  tkl::edge& ey = h.p.edges[static_cast<std::size_t>(y)];
  ey.extent[2] = 6, ey.extent[3] = 8, ey.stride[2] = 8;
  const int w = h.weight("w", 4 * 8 * 3);
  tkl::step& s = h.step(algorithm::conv2d, "c", {x}, y);
  s.weight = static_cast<std::int16_t>(w);
  s.parameters.kernel[1] = 3;
  const auto cost = [&] { return tkl::cost_of(tkl::view_of(h.p), 0); };
  CHECK(cost().flops == 2 * 6 * 8 * 3 * 4);
  CHECK(cost().bytes_read == 96);
  CHECK(cost().bytes_written == 192);
  CHECK(cost().weight_bytes == 384);
  h.p.steps[0].algorithm = algorithm::depthwise;
  CHECK(cost().flops == 2 * 6 * 8 * 3);
  h.p.steps[0].algorithm = algorithm::conv_transpose2d;
  CHECK(cost().flops == 2 * 6 * 4 * 3 * 8);
  h.p.steps[0].algorithm = algorithm::matmul;
  CHECK(cost().flops == 2 * 6 * 8 * 4);
}

TEST_CASE("byte counts, operation counts and names keep three digits and their tails") {
  CHECK(tkl::bytes_text(0) == "0 B");
  CHECK(tkl::bytes_text(999) == "999 B");
  CHECK(tkl::bytes_text(1000) == "0.98 KiB");
  CHECK(tkl::bytes_text(1536) == "1.50 KiB");
  CHECK(tkl::bytes_text(102400) == "100 KiB");
  CHECK(tkl::bytes_text(std::int64_t{3} << 30) == "3.00 GiB");
  CHECK(tkl::count_text(999) == "999");
  CHECK(tkl::count_text(1'930'000'000) == "1.93 G");
  CHECK(tkl::tail_text("backbone.layer4.conv", 10) == "...r4.conv");
  CHECK(tkl::tail_text("short", 10) == "short");
}

TEST_CASE("windows are written with what differs from the default") {
  tkl::step s;
  s.algorithm = algorithm::conv2d;
  CHECK(tkl::window_text(s) == "1x1");
  s.parameters.kernel[0] = 3, s.parameters.kernel[1] = 5;
  s.parameters.stride[0] = s.parameters.stride[1] = 2;
  s.parameters.dilation[1] = 2;
  s.parameters.groups = 4;
  for (int i = 0; i < 4; ++i) s.parameters.pad[i] = 1;
  CHECK(tkl::window_text(s) == "3x5 /2 dil 1,2 pad 1 groups 4");
  s.parameters.pad[3] = 0;
  CHECK(tkl::window_text(s) == "3x5 /2 dil 1,2 pad 1,1,1,0 groups 4");
  s.algorithm = algorithm::softmax;
  CHECK(tkl::window_text(s) == "");
}

TEST_CASE("the whole report of a small plan") {
  one_step o(code({acc, channel, call<fn::mul>, whole, call<fn::add>}));
  tkl::plan_view v = tkl::view_of(o.h.p);
  v.title = "small";
  v.lower_bound = 64;
  CHECK(tkl::report(v) ==
        "small\n"
        "2 steps, 2 kernels, 512 FLOP, 256 B read, 128 B written, 64 B of packed weights\n"
        "arena 64 bytes (64 B), lower bound 64, ratio 1.00\n"
        "\n"
        "step  algorithm  kernel  input     output    window  FLOP   read  written  input at  output at  name\n"
        "   0  map             0  1x1x1x16  1x1x1x16             0   64 B     64 B  input 0   [0, 64)    r\n"
        "   1  conv2d          1  1x1x1x16  1x1x1x16  1x1      512  192 B     64 B  input 0   output 0   conv\n"
        "      also reads 1x1x1x16 at [0, 64)\n"
        "      = acc * s[c] + r\n");
}
