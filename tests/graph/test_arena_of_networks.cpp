// SPDX-License-Identifier: Apache-2.0
// The arena of every network of the repository, at every shape for which it is compiled, is near its lower bound. The
// passes run at run time, with the facts and the scratch of the level's kernels; no kernel is compiled.
// tkl-test: levels=base,avx2,avx512,neon libs=read_page
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <read_page/frames.hpp>
#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/plan_interpreter.hpp>
#include <utility>
#include <vector>

#include "golden/networks/mobilenet_v2.hpp"
#include "golden/networks/resnet50.hpp"
#include "support/arena_limit.hpp"

namespace {

/// The page reader's networks as their ONNX files have them: normalised pictures in planes.
template <std::int64_t Width>
struct recogniser_of_planes {
  static constexpr tkl::value build(tkl::graph& g) {
    return read_page::recogniser<Width>::network(g.input("x", tkl::f32, {1, 48, Width, 3}, tkl::memory_layout::nchw));
  }
};
template <read_page::extent Size>
struct detector_of_planes {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, Size.height, Size.width, 3}, tkl::memory_layout::nchw);
    g.output(read_page::detector<Size>::network(x), "probability", tkl::memory_layout::nchw);
  }
};

/// Greatest sum, over the steps, of the bytes of the storages that live there: not the planner's own count.
std::int64_t most_alive(const tkl::program& p) {
  std::vector<std::int64_t> alive(p.steps.size(), 0);
  std::vector<tkl::storage> whole = p.storages;
  const auto root_of = [&](std::size_t i) {
    while (p.storages[i].root >= 0) i = static_cast<std::size_t>(p.storages[i].root);
    return i;
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    tkl::storage& root = whole[root_of(i)];
    if (p.storages[i].first < 0 || root.first < 0) continue;
    root.first = std::min(root.first, p.storages[i].first);
    root.last = std::max(root.last, p.storages[i].last);
  }
  for (const tkl::storage& s : whole)
    if (s.where == tkl::space::arena && s.root < 0 && s.first >= 0)
      for (std::int32_t i = s.first; i <= s.last; ++i) alive[static_cast<std::size_t>(i)] += s.bytes;
  return alive.empty() ? 0 : *std::max_element(alive.begin(), alive.end());
}

template <class Target>
void check_target(const tkl::graph& g, const std::string& target) {
  CAPTURE(target);
  const tkl::program p = tkl::make_program(
      g, Target::facts(), [](const tkl::step& s, const tkl::edge* e) { return Target::scratch_bytes(s, e); });
  const std::string mistake = p.error.c_str();
  REQUIRE(mistake == "");
  CHECK(p.lower_bound == most_alive(p));
  CHECK(p.arena_bytes >= p.lower_bound);
  CHECK(p.arena_bytes <= tkl_test::arena_limit(p.lower_bound, tkl::counts_of(p).buffers));
}

template <class Model>
void check(const std::string& name) {
  CAPTURE(name);
  tkl::graph g;
  tkl::build_model<Model>(g);
  check_target<tkl::cpu<>>(g, "cpu");
  check_target<tkl::plan_interpreter>(g, "reference");
}

template <std::size_t... I>
void check_lines(std::index_sequence<I...>) {
  (check<read_page::recogniser<read_page::line_widths[I]>>("recogniser " + std::to_string(read_page::line_widths[I])),
   ...);
}
template <std::size_t... I>
void check_pages(std::index_sequence<I...>) {
  (check<read_page::detector<read_page::page_sizes[I]>>("detector " + std::to_string(read_page::page_sizes[I].height) +
                                                        "x" + std::to_string(read_page::page_sizes[I].width)),
   ...);
}

}  // namespace

TEST_CASE("the arenas of the page reader's networks, at all their shapes") {
  check_lines(std::make_index_sequence<std::size(read_page::line_widths)>{});
  check_pages(std::make_index_sequence<std::size(read_page::page_sizes)>{});
  check<read_page::classifier>("classifier");
}

TEST_CASE("the arenas of the networks of benchmarks and golden tests") {
  check<recogniser_of_planes<320>>("recogniser of planes 320");
  check<recogniser_of_planes<640>>("recogniser of planes 640");
  check<detector_of_planes<read_page::extent{640, 640}>>("detector of planes 640x640");
  check<tkl::test::mobilenet_v2>("MobileNetV2");
  check<tkl::test::resnet50>("ResNet-50");
}
