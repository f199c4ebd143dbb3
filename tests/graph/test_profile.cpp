// SPDX-License-Identifier: Apache-2.0
// The profile of a compiled model: its numbers add up to the model's constants, times are those of the clock, the table
// and the page hold every step once, and labels of the roofline cover nothing.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/profile.hpp>
#include <tkl/graph/profile_page.hpp>
#include <tkl/graph/profile_text.hpp>
#include <vector>

#include "support/markup.hpp"
#include "support/random_run.hpp"
#include "support/strip_reader.hpp"

using support::count;
using support::unbalanced;

namespace {

constexpr int columns = 33;
using strip = tkl_test::strip_reader<columns>;
using net = tkl::compile<strip, tkl::cpu<>>;

/// Nanoseconds that a test decides: each reading is `tick` after the one before.
struct counted_clock {
  std::int64_t* readings;
  std::int64_t tick = 1000;
  std::int64_t operator()() const { return tick * ++*readings; }
};

struct loaded {
  tkl::result<net> model;
  tkl::result<net::workspace> memory = net::workspace::make();
  std::vector<float> input = std::vector<float>(8 * columns * 3, 0.5f);
  std::vector<float> output = std::vector<float>(columns * 11, -1.0f);
  std::array<const void*, 1> in{input.data()};
  std::array<void*, 1> out{output.data()};

  static tkl::result<net> load() {
    tkl::graph g;
    tkl::build_model<strip>(g);
    const std::vector<std::byte> file = tkl_test::random_weights_file(g);
    const auto tensors = tkl::safetensors::from_memory(file);
    REQUIRE(tensors.ok());
    return net::load(*tensors, {.allow_surplus = true});
  }
  loaded() : model(load()) {
    REQUIRE(model.ok());
    REQUIRE(memory.ok());
  }
};

/// A profile of n steps with random costs and times.
tkl::plan_profile random_profile(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(0, 6);
  tkl::plan_profile p;
  p.title = "random <&> profile";
  p.rounds = 1;
  for (int i = 0; i < n; ++i) {
    tkl::step_profile s;
    s.number = i;
    s.algorithm = static_cast<tkl::algorithm>(random() % 14);
    s.algorithm_text = tkl::name_of(s.algorithm);
    s.name = "layer<" + std::to_string(i) + '>';
    s.input = s.output = "1x2x3x4";
    s.cost.flops = i % 7 == 3 ? 0 : static_cast<std::int64_t>(std::pow(10.0, 2 + exponent(random)));
    s.cost.bytes_read = static_cast<std::int64_t>(std::pow(10.0, 2 + exponent(random)));
    s.cost.bytes_written = 64;
    s.nanoseconds = std::pow(10.0, 2 + exponent(random));
    p.steps.push_back(s);
  }
  if (n % 2 == 0) p.limits = {1e11, 2e10};
  return p;
}

}  // namespace

TEST_CASE("a profile adds up to the constants of the model, and its run computes what a run computes") {
  loaded l;
  REQUIRE(l.model->run(*l.memory, l.in.data(), l.out.data()).ok());
  const std::vector<float> expected = l.output;
  l.output.assign(l.output.size(), -1.0f);
  std::int64_t readings = 0;
  int rounds = 0;
  const auto p = tkl::profile_model(*l.model, *l.memory, l.in.data(), l.out.data(), counted_clock{&readings},
                                    {.rounds = 5, .title = "strip"}, [&] {
                                      ++rounds;
                                      return tkl::machine_limits{1e9 * rounds, 1e8};
                                    });
  REQUIRE(p.ok());
  CHECK(l.output == expected);
  CHECK(rounds == 5);
  CHECK(readings == 5 * (3 + net::steps));
  REQUIRE(static_cast<int>(p->steps.size()) == net::steps);
  const tkl::step_cost sum = p->cost();
  CHECK(sum.flops == net::flops);
  CHECK(sum.bytes_read + sum.bytes_written == net::bytes);
  CHECK(sum.bytes_written == net::bytes_written);
  CHECK(sum.weight_bytes <= net::weights_bytes);
  CHECK(p->run_nanoseconds == 1000);
  CHECK(p->step_nanoseconds() == 1000 * net::steps);
  CHECK(p->limits.flops_per_second == 3e9);  // the median
  CHECK(p->limits.bytes_per_second == 1e8);
  for (int i = 0; i < net::steps; ++i) {
    const tkl::step_profile& s = p->steps[static_cast<std::size_t>(i)];
    CHECK(s.number == i);
    CHECK(s.algorithm == net::plan_steps()[i].algorithm);
    CHECK(s.nanoseconds == 1000);
    CHECK(s.flops_per_second() == doctest::Approx(1e6 * static_cast<double>(s.cost.flops)));
    CHECK(p->share_of_peak(s.flops_per_second()) == doctest::Approx(s.flops_per_second() / 3e9));
  }
}

TEST_CASE("every step is once in the table and once in each part of the page") {
  loaded l;
  std::int64_t readings = 0;
  const auto p = tkl::profile_model(*l.model, *l.memory, l.in.data(), l.out.data(), counted_clock{&readings},
                                    {.rounds = 1, .title = "strip"});
  REQUIRE(p.ok());
  const std::string table = tkl::profile_table(*p);
  const std::string rows = table.substr(table.find("\n\n") + 2);
  CHECK(count(rows, "\n") == net::steps + 1);
  CHECK(count(table, "stem.weight") == 1);
  CHECK(table.find("peak not measured; bandwidth not measured") != std::string::npos);
  const std::string page = tkl::profile_page(*p);
  CHECK(unbalanced(page.substr(page.find('\n'))) == "");
  CHECK(count(page, "<tr>") == net::steps + 1);
  const std::string timeline = tkl::draw_timeline(*p), roofline = tkl::draw_roofline(*p);
  int with_arithmetic = 0;
  for (const tkl::step_profile& s : p->steps) {
    CHECK(count(timeline, "<title>#" + std::to_string(s.number) + ' ') == 1);
    CHECK(count(roofline, "<title>#" + std::to_string(s.number) + ' ') == (s.cost.flops > 0 ? 1 : 0));
    with_arithmetic += s.cost.flops > 0;
  }
  CHECK(count(roofline, "<circle ") == with_arithmetic);
}

TEST_CASE("no round, and buffers that a run refuses, are failures with their reason") {
  loaded l;
  std::int64_t readings = 0;
  const counted_clock now{&readings};
  const auto none = tkl::profile_model(*l.model, *l.memory, l.in.data(), l.out.data(), now, {.rounds = 0});
  REQUIRE(!none.ok());
  CHECK(std::string(none.error().message()) == "0 rounds asked for, a profile needs 1");
  const std::array<const void*, 1> null{nullptr};
  const auto refused = tkl::profile_model(*l.model, *l.memory, null.data(), l.out.data(), now);
  REQUIRE(!refused.ok());
  CHECK(std::string(refused.error().message()).find("strip") != std::string::npos);
  CHECK(readings == 0);
}

TEST_CASE("random profiles: pages are well-formed, labels lie in the plot and cover neither circles nor each other") {
  std::mt19937 random(11);
  for (int n = 0; n < 60; ++n) {
    const tkl::plan_profile p = random_profile(n, random);
    const std::string page = tkl::profile_page(p);
    REQUIRE(unbalanced(page.substr(page.find('\n'))) == "");
    REQUIRE(count(page, "<tr>") == n + 1);
    REQUIRE(count(page, "layer&lt;") >= n);
    REQUIRE(page.find("nan") == std::string::npos);
    REQUIRE(page.find("inf") == std::string::npos);
    tkl::impl::roofline_points points(0, 0, 1000, 500);
    std::uniform_real_distribution<double> place(20, 480);
    for (const tkl::step_profile& s : p.steps)
      points.add({2 * place(random), place(random), 2 + place(random) / 40, &s});
    const auto labels = points.labels();
    const double above = tkl::impl::roofline_points::font - 1, below = 2;  // of a base line
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto& a = labels[i];
      const auto covers = [&](double x0, double y0, double x1, double y1) {
        return a.x < x1 && x0 < a.x + a.width && a.y - above < y1 && y0 < a.y + below;
      };
      REQUIRE(a.x >= 0);
      REQUIRE(a.x + a.width <= 1000);
      for (std::size_t k = 0; k < i; ++k)
        REQUIRE_FALSE(covers(labels[k].x, labels[k].y - above, labels[k].x + labels[k].width, labels[k].y + below));
      for (const auto& c : points.circles())
        REQUIRE_FALSE(covers(c.x - c.radius, c.y - c.radius, c.x + c.radius, c.y + c.radius));
    }
  }
}
