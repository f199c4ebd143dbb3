// SPDX-License-Identifier: Apache-2.0
// The drawings: well-formed, complete, nothing lies over anything else, and long graphs wrap.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <regex>
#include <string>
#include <tkl/graph/draw_arena.hpp>
#include <tkl/graph/draw_graph.hpp>
#include <vector>

#include "support/hand_plan.hpp"
#include "support/markup.hpp"

using support::count;
using support::hand_plan;
using support::unbalanced;
using tkl::algorithm;

namespace {

struct box {
  double x, y, width, height;
  std::string title;
};

/// Rectangles of nodes or values: all but the background and the legend's squares.
std::vector<box> boxes_of(const std::string& svg) {
  static const std::regex rect(
      "<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" width=\"([0-9.]+)\" "
      "height=\"([0-9.]+)\"[^>]*><title>([^<]*)</title></rect>");
  std::vector<box> all;
  for (std::sregex_iterator i(svg.begin(), svg.end(), rect), end; i != end; ++i)
    all.push_back({std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[3]), std::stod((*i)[4]), (*i)[5]});
  return all;
}

/// Number of pairs that overlap by more than `slack`.
int overlaps(const std::vector<box>& all, double slack) {
  int n = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      n += all[i].x + slack < all[j].x + all[j].width && all[j].x + slack < all[i].x + all[i].width &&
           all[i].y + slack < all[j].y + all[j].height && all[j].y + slack < all[i].y + all[i].height;
  return n;
}

double width_of(const std::string& svg) {
  return std::stod(svg.substr(svg.find("width=\"") + 7));
}
double height_of(const std::string& svg) {
  return std::stod(svg.substr(svg.find("height=\"") + 8));
}

/// input -> n convolutions, every third of them added to the one three before.
hand_plan network(int n) {
  hand_plan h;
  int before = h.input("picture", 64), residual = -1;
  for (int i = 0; i < n; ++i) {
    const int y = h.value("conv" + std::to_string(i), 64, 256 * (i % 4));
    tkl::step& s = h.step(algorithm::conv2d, "conv" + std::to_string(i), {before}, y);
    if (i % 3 == 2) s.operand[0] = static_cast<std::int16_t>(residual);
    if (i % 3 == 0) residual = y;
    before = y;
  }
  h.step(algorithm::softmax, "probabilities", {before}, h.output("p", 64));
  h.p.lower_bound = 1000;
  return h;
}

}  // namespace

TEST_CASE("random graphs in layers: all boxes are there, none overlaps another, all lie inside the picture") {
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    const int n = 1 + below(80);
    std::vector<tkl::impl::layer_node> nodes;
    std::vector<tkl::impl::layer_link> links;
    for (int i = 0; i < n; ++i) {
      tkl::impl::layer_node node;
      for (int l = 0; l <= below(4); ++l) node.lines.emplace_back(static_cast<std::size_t>(1 + below(30)), 'x');
      node.details = std::to_string(i);
      node.result = "1x2x3";
      nodes.push_back(node);
      for (int k = below(3); k > 0 && i > 0; --k) links.push_back({i - 1 - below(std::min(i, 1 + below(20))), i});
    }
    tkl::impl::layered_drawing drawing(nodes, links);
    const std::string svg = drawing.svg("random", 300 + below(1500));
    REQUIRE(unbalanced(svg) == "");
    const std::vector<box> boxes = boxes_of(svg);
    REQUIRE(static_cast<int>(boxes.size()) == n);
    REQUIRE(overlaps(boxes, 0) == 0);
    for (const box& b : boxes) {
      REQUIRE(b.x >= 0);
      REQUIRE(b.y >= 0);
      REQUIRE(b.x + b.width <= width_of(svg));
      REQUIRE(b.y + b.height <= height_of(svg));
    }
  }
}

TEST_CASE("a long plan wraps into columns; cut links carry a letter at both ends") {
  const hand_plan h = network(90);
  const std::string svg = tkl::draw_plan(tkl::view_of(h.p), "network");
  CHECK(unbalanced(svg) == "");
  CHECK(height_of(svg) < 2000);
  const std::vector<box> boxes = boxes_of(svg);
  CHECK(boxes.size() == 91);  // inputs and outputs have no details
  CHECK(overlaps(boxes, 0) == 0);
  CHECK(count(svg, ">network: 91 steps, 91 kernels<") == 1);
  CHECK(count(svg, ">A</text>") == 2);
  for (int i = 0; i < 90; ++i) CHECK(count(svg, '>' + ("conv" + std::to_string(i)) + "</text>") == 1);
}

TEST_CASE("the arena: one rectangle per value, none over another at the same step, the bound as a line") {
  const hand_plan h = network(40);
  const std::string svg = tkl::draw_arena(tkl::view_of(h.p), "network");
  CHECK(unbalanced(svg) == "");
  const std::vector<box> boxes = boxes_of(svg);
  CHECK(boxes.size() == 40);
  CHECK(overlaps(boxes, 0.11) == 0);  // coordinates have one decimal
  CHECK(count(svg, ">lower bound</text>") == 1);
  CHECK(count(svg, "#7 conv7\nsteps 7 to 8\nbytes [768, 1024), 256 B") == 1);
}

TEST_CASE("in place: the new value takes over the rectangle at its step") {
  hand_plan h;
  const int x = h.input("x", 16), a = h.value("a", 16, 0), b = h.value("b", 16, 0), out = h.output("out", 16);
  h.storage_of(b).root = h.p.edge_storage[static_cast<std::size_t>(a)];
  h.step(algorithm::conv2d, "a", {x}, a);
  h.step(algorithm::map, "b", {a}, b);
  h.step(algorithm::map, "c", {b}, out);
  const std::vector<box> boxes = boxes_of(tkl::draw_arena(tkl::view_of(h.p)));
  REQUIRE(boxes.size() == 2);
  CHECK(overlaps(boxes, 0) == 0);
  CHECK(boxes[1].width > 1.9 * boxes[0].width);
}

TEST_CASE("names are escaped") {
  hand_plan h;
  const int x = h.input("a<b>&\"c\"", 4);
  h.step(algorithm::map, "<script>", {x}, h.output("y", 4));
  const std::string svg = tkl::draw_plan(tkl::view_of(h.p));
  CHECK(unbalanced(svg) == "");
  CHECK(count(svg, "<script>") == 0);
  CHECK(count(svg, "a&lt;b&gt;&amp;&quot;c&quot;") >= 1);
}

TEST_CASE("a graph as written: weights and numbers stand in their reader's box") {
  tkl::graph g;
  const tkl::value x = g.input("x", tkl::f32, {1, 8, 8, 3});
  tkl::node conv;
  conv.kind = tkl::op_kind::conv2d;
  conv.shape = {1, 8, 8, 16};
  conv.in[0] = x.id, conv.in[1] = g.weight("conv.weight", {16, 3, 3, 3}).id;
  conv.inputs = 2;
  conv.attr.kernel[0] = conv.attr.kernel[1] = 3;
  const tkl::value y = g.push(conv);
  tkl::node add;
  add.kind = tkl::op_kind::map;
  add.shape = conv.shape;
  add.attr.function = tkl::function_index<tkl::fn::add>;
  add.in[0] = y.id, add.in[1] = g.literal(0.5).id;
  add.inputs = 2;
  g.output(g.push(add), "sum");
  const std::string svg = tkl::draw_graph(g, "small");
  CHECK(unbalanced(svg) == "");
  CHECK(count(svg, ">small: 3 nodes besides weights<") == 1);
  CHECK(count(svg, ">conv.weight 16x3x3x3</text>") == 1);
  CHECK(count(svg, ">add 0.5</text>") == 1);
  CHECK(count(svg, ">1x8x8x16</text>") == 2);
  CHECK(count(svg, ">sum</text>") == 1);
}

TEST_CASE("empty plans and graphs draw as empty pictures") {
  CHECK(unbalanced(tkl::draw_plan(tkl::view_of(hand_plan{}.p))) == "");
  CHECK(unbalanced(tkl::draw_arena(tkl::view_of(hand_plan{}.p))) == "");
  CHECK(unbalanced(tkl::draw_graph(tkl::graph{})) == "");
}
