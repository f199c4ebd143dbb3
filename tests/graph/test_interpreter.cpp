// SPDX-License-Identifier: Apache-2.0
// The interpreter: weights and inputs by name, layouts, probes, errors; a small network against its own loops.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tkl/graph.hpp>
#include <tkl/graph/interpreter.hpp>
#include <vector>

using tkl::f32;
using tkl::graph;
using tkl::interpreter;
using tkl::value;

namespace {

std::span<const float> view(const std::vector<float>& v) {
  return v;
}

std::vector<float> wave(std::size_t n, double phase) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(std::sin(phase + 0.37 * static_cast<double>(i)));
  return v;
}

struct squeeze_model {
  static constexpr value build(graph& g) {
    const value x = g.input("image", tkl::u8, {1, 6, 5, 3}, tkl::memory_layout::nchw);
    value y = (tkl::cast(x, f32) / 255.0f - 0.5f) / 0.5f;
    y = tkl::conv2d(y, g.weight("conv", {4, 3, 3, 3}), g.weight("conv.bias", {4}), {.stride = 2, .pad = 1})
            .named("stem");
    const value gate =
        tkl::hard_sigmoid(tkl::conv2d(tkl::global_average_pool(y), g.weight("gate", {4, 4, 1, 1})), 0.2f, 0.5f);
    return g.output(tkl::relu(y * gate), "features", tkl::memory_layout::nchw);
  }
};

}  // namespace

TEST_CASE("a small network equals its loops") {
  graph g;
  tkl::build_model<squeeze_model>(g);
  REQUIRE(g.error.empty());
  std::vector<std::uint8_t> image(90);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(i * 37 % 256);
  std::map<std::string, std::vector<float>, std::less<>> weights{
      {"conv", wave(108, 0)}, {"conv.bias", wave(4, 1)}, {"gate", wave(16, 2)}};

  interpreter run(g);
  REQUIRE(
      run.set_weights([&](std::string_view name, const tkl::shape&) { return view(weights.find(name)->second); }).ok());
  REQUIRE(run.set_input("image", std::span<const std::uint8_t>(image)).ok());
  REQUIRE(run.run().ok());

  // Channel planes throughout, as the caller's memory has them.
  double stem[4][3][3]{}, mean[4]{}, expected[4][3][3]{};
  for (int o = 0; o < 4; ++o)
    for (int h = 0; h < 3; ++h)
      for (int w = 0; w < 3; ++w) {
        double sum = static_cast<double>(weights["conv.bias"][static_cast<std::size_t>(o)]);
        for (int i = 0; i < 3; ++i)
          for (int u = 0; u < 3; ++u)
            for (int v = 0; v < 3; ++v) {
              const int row = 2 * h + u - 1, column = 2 * w + v - 1;
              if (row < 0 || row >= 6 || column < 0 || column >= 5) continue;
              const double e = (image[static_cast<std::size_t>((i * 6 + row) * 5 + column)] / 255.0 - 0.5) / 0.5;
              sum += e * static_cast<double>(weights["conv"][static_cast<std::size_t>(((o * 3 + i) * 3 + u) * 3 + v)]);
            }
        stem[o][h][w] = sum;
        mean[o] += sum / 9;
      }
  for (int o = 0; o < 4; ++o) {
    double gate = 0;
    for (int i = 0; i < 4; ++i)
      gate += mean[i] * static_cast<double>(weights["gate"][static_cast<std::size_t>(o * 4 + i)]);
    gate = gate * static_cast<double>(0.2f) + 0.5;
    gate = gate < 0 ? 0 : gate > 1 ? 1 : gate;
    for (int h = 0; h < 3; ++h)
      for (int w = 0; w < 3; ++w) expected[o][h][w] = std::fmax(stem[o][h][w] * gate, 0.0);
  }
  const std::vector<double> planes = run.output_as_declared(0);
  REQUIRE(planes.size() == 36);
  for (std::size_t i = 0; i < 36; ++i) CHECK(std::fabs(planes[i] - (&expected[0][0][0])[i]) < 1e-12);
  // The edge by name and by id, in the graph's order of axes.
  const auto edge = run.edge("stem");
  REQUIRE(edge.size() == 36);
  CHECK(run.shape_of(run.find("stem")) == tkl::shape{1, 3, 3, 4});
  for (std::size_t h = 0; h < 3; ++h)
    for (std::size_t w = 0; w < 3; ++w)
      for (std::size_t c = 0; c < 4; ++c) CHECK(std::fabs(edge[(h * 3 + w) * 4 + c] - stem[c][h][w]) < 1e-12);
  CHECK(run.edge("features").data() == run.output(0).data());
}

TEST_CASE("only probed edges are held when asked so") {
  graph g;
  const value x = g.input("x", f32, {8});
  const value a = tkl::exp(x).named("a");
  const value b = (a + x).named("b");
  const value c = tkl::square(b).named("c");
  g.output(tkl::sqrt(c), "y");
  tkl::abs(c);  // read by nobody
  const std::vector<float> in = wave(8, 0);
  interpreter all(g), some(g, tkl::keep_edges::probed);
  CHECK(some.probe("b"));
  CHECK(!some.probe("no such edge"));
  for (interpreter* run : {&all, &some}) {
    REQUIRE(run->set_input(0, view(in)).ok());
    REQUIRE(run->run().ok());
  }
  CHECK(all.edge(a).size() == 8);
  CHECK(some.edge(a).empty());
  CHECK(some.edge(c).empty());
  CHECK(some.edge("b").size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(some.output(0)[i] == all.output(0)[i]);
    CHECK(some.edge(b)[i] == all.edge(b)[i]);
  }
  REQUIRE(some.run().ok());  // a second run of the same interpreter
  CHECK(some.output(0)[3] == all.output(0)[3]);
}

TEST_CASE("errors name the tensor and both numbers") {
  graph g;
  const value x = g.input("x", f32, {2, 3});
  g.output(tkl::linear(x, g.weight("fc", {4, 3})));
  interpreter run(g);
  const std::vector<float> six(6), seven(7);
  CHECK(std::string(run.run().message()) == "input 'x': no values were given, 2x3 are needed");
  CHECK(std::string(run.set_input("x", view(seven)).message()) == "input 'x': 7 values were given, shape 2x3 has 6");
  CHECK(std::string(run.set_input("y", view(six)).message()) == "input 'y': the graph has none of that name");
  CHECK(std::string(run.set_input(1, view(six)).message()) == "input 1: the graph has 1");
  CHECK(std::string(run.set_weight("x", view(six)).message()) == "weight 'x': the graph has none of that name");
  CHECK(run.set_input("x", view(six)).ok());
  CHECK(std::string(run.run().message()) == "weight 'fc': no values were given, 4x3 are needed");
  const auto short_source = [&](std::string_view, const tkl::shape&) { return view(six); };
  CHECK(std::string(run.set_weights(short_source).message()) == "weight 'fc': 6 values were given, shape 4x3 has 12");
  CHECK(run.edge(99).empty());
  CHECK(run.output(1).empty());

  graph wrong;
  tkl::conv2d(wrong.input("x", f32, {1, 2, 2, 1}), wrong.weight("w", {1, 2, 1, 1}));
  CHECK(std::string(interpreter(wrong).run().message()) == "conv2d 'w': input has 1 channels, weight expects 2");
}

TEST_CASE("inputs of every storage type") {
  graph g;
  const value h = g.input("h", tkl::f16, {2}), n = g.input("n", tkl::i32, {1}), u = g.input("u", tkl::u8, {2});
  g.output(tkl::keep_first(tkl::cast(h, f32) + tkl::cast(u, f32), n, 0));
  interpreter run(g);
  const tkl::half halves[] = {tkl::to_half(1.5f), tkl::to_half(-2.0f)};
  const std::int32_t one = 1;
  const double numbers[] = {254.6, -7};  // rounded and clamped: 255, 0
  REQUIRE(run.set_input("h", std::span<const tkl::half>(halves)).ok());
  REQUIRE(run.set_input("n", std::span<const std::int32_t>(&one, 1)).ok());
  REQUIRE(run.set_input("u", std::span<const double>(numbers)).ok());
  REQUIRE(run.run().ok());
  CHECK(run.output(0)[0] == 256.5);
  CHECK(run.output(0)[1] == 0);
}

TEST_CASE("an edge is printed with its statistics") {
  graph g;
  const value x = g.input("x", f32, {2, 2});
  const value y = (x * 2).named("twice");
  g.output(y);
  interpreter run(g);
  const std::vector<float> in{1, -3, NAN, 4};
  REQUIRE(run.set_input(0, view(in)).ok());
  REQUIRE(run.run().ok());
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  run.print_edge(file, y.id, 2);
  run.print_edge(file, 77);
  std::rewind(file);
  char text[400]{};
  const std::size_t read = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  CHECK(std::string(text, read) ==
        "twice map f32 2x2: least -6, largest 8, mean 1.33333333, NaN 1\n  2 -6 ...\n"
        "edge 77: the graph has 3\n");
}
