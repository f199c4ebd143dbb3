// SPDX-License-Identifier: Apache-2.0
// Convolutions that hand rows on to each other: random chains against the unoptimised graph, where the estimate says
// that a chain pays and where not, what may not be chained, and what the report says.
#include <doctest/doctest.h>

#include <string>
#include <tkl/graph/describe.hpp>
#include <tkl/graph/step_cost.hpp>

#include "support/random_chain.hpp"
#include "support/random_run.hpp"

using namespace tkl;
using namespace tkl_test;

namespace {

/// The numbers of AVX2, whatever the unit is compiled for.
constexpr target_facts avx2_facts() {
  target_facts f;
  f.width = 8, f.rows = 6, f.panel = 16, f.block_rows = 96, f.l2_bytes = 512 * 1024, f.chains = true;
  return f;
}
constexpr program planned(graph g, const target_facts& facts) {
  return make_program(std::move(g), facts, [](const step&, const edge*) { return std::int64_t{64}; });
}
constexpr int stages_of(const program& p) {
  int most = 0;
  for (const step& s : p.steps)
    if (s.algorithm == algorithm::conv_chain && s.parameters.mode > most) most = s.parameters.mode;
  return most;
}

/// A block of MobileNetV2, or what is asked of its depthwise and last convolutions.
struct block {
  std::int64_t size, in, expanded, out, stride = 1;
  conv_chaining depthwise = conv_chaining::automatic, last = conv_chaining::automatic;
};
constexpr value built(graph& g, const block& b) {
  const value x = g.input("x", f32, {1, b.size, b.size, b.in});
  const value e = relu6(conv2d(x, g.weight("expand", {b.expanded, b.in, 1, 1})));
  const value d = relu6(conv2d(e, g.weight("depthwise", {b.expanded, 1, 3, 3}),
                               {.stride = b.stride, .pad = 1, .groups = b.expanded, .chain = b.depthwise}));
  return conv2d(d, g.weight("project", {b.out, b.expanded, 1, 1}), {.chain = b.last});
}
constexpr int chained(const block& b, target_facts facts = avx2_facts()) {
  graph g;
  g.output(built(g, b));
  const program p = planned(std::move(g), facts);
  return p.error.empty() ? stages_of(p) : -1;
}
constexpr auto always = conv_chaining::always, never = conv_chaining::never;

// Blocks of MobileNetV2 at 224 x 224: the largest tensors do not stay in the cache; of others, only the part behind the
// depthwise convolution is worth it, which shares no rows between bands; small ones stay in the cache anyway.
static_assert(chained({112, 16, 96, 24, 2}) == 3);
static_assert(chained({56, 24, 144, 24}) == 2);
static_assert(chained({28, 32, 192, 32}) == 0);
static_assert(chained({14, 96, 576, 96}) == 0);
static_assert(chained({7, 160, 960, 160}) == 0);
// Nodes overrule the estimate, targets without such kernels are asked for none.
static_assert(chained({7, 160, 960, 160, 1, always, always}) == 3);
static_assert(chained({7, 160, 960, 160, 1, never, always}) == 2);
static_assert(chained({112, 16, 96, 24, 2, never, never}) == 0);
static_assert(chained({112, 16, 96, 24, 2, never}) == 2);
static_assert(chained({112, 16, 96, 24, 2}, target_facts{}) == 0);

/// The error of a graph, or nothing.
template <class Build>
std::string refused(Build build, const target_facts& facts = avx2_facts()) {
  graph g;
  build(g);
  const program p = planned(std::move(g), facts);
  return p.error.c_str();
}

}  // namespace

TEST_CASE("random chains give what the unoptimised graph gives") {
  int formed = 0, of_three = 0, banded = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    graph g;
    random_chain_builder(g, seed).build();
    const std::string mistake = g.error.c_str();
    REQUIRE(mistake == "");
    const graph_inputs inputs(g);
    const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
    target_facts facts = plan_interpreter::facts();
    facts.l2_bytes = seed % 3 == 0 ? 64 : seed % 3 == 1 ? 8 * 1024 : 64 * 1024;
    const planned_run run = run_planned(g, inputs, facts);
    REQUIRE(run.error == "");
    const std::string difference = compare(expected[0], run.outputs[0], tolerance_of(g));
    REQUIRE(difference == "");
    const program& p = run.program;
    formed += stages_of(p) >= 2;
    of_three += stages_of(p) == 3;
    for (const step& s : p.steps)
      if (s.algorithm == algorithm::conv_chain)
        banded += s.parameters.reach < p.edges[static_cast<std::size_t>(s.out)].extent[1];
  }
  CHECK(formed == 400);
  CHECK(of_three > 100);
  CHECK(banded > 100);
}

TEST_CASE("a tensor that somebody else reads is not handed on by rows") {
  const auto outputs = [](conv_chaining last, bool inner) {
    graph g;
    const value y = built(g, {112, 16, 96, 24, 2, conv_chaining::never, last});
    g.output(y);
    for (std::size_t i = g.nodes.size(); inner && i-- > 0;)
      if (g.nodes[i].kind == op_kind::map && g.nodes[i].shape[1] == 56) {
        g.output({&g, static_cast<std::int32_t>(i)}, "inner");
        break;
      }
    return planned(std::move(g), avx2_facts());
  };
  CHECK(stages_of(outputs(conv_chaining::automatic, false)) == 2);
  CHECK(stages_of(outputs(conv_chaining::automatic, true)) == 0);
  const std::string error = outputs(always, true).error.c_str();
  CHECK(error == "conv2d 'project': chain is always, but its input is also an output of the model");
}

TEST_CASE("what cannot be chained says why") {
  const auto two_readers = [](graph& g) {
    const value x = g.input("x", f32, {1, 9, 9, 16});
    const value d = conv2d(x, g.weight("d", {16, 1, 3, 3}), {.pad = 1, .groups = 16});
    g.output(conv2d(d, g.weight("p", {8, 16, 1, 1}), {.chain = always}));
    g.output(global_average_pool(d));
  };
  CHECK(refused(two_readers) == "conv2d 'p': chain is always, but its input is also read elsewhere");
  const auto first = [](graph& g) {
    const value x = relu(g.input("x", f32, {1, 9, 9, 16}));
    g.output(conv2d(x, g.weight("d", {16, 1, 3, 3}), {.pad = 1, .groups = 16, .chain = always}));
  };
  CHECK(refused(first) ==
        "depthwise 'd': chain is always, but the step before it is not a convolution that runs by rows");
  const auto long_chain = [](graph& g) {
    value x = g.input("x", f32, {1, 9, 9, 16});
    for (const char* name : {"a", "b", "c", "d"})
      x = conv2d(x, g.weight(name, {16, 16, 1, 1}), {.chain = name[0] == 'a' ? never : always});
    g.output(x);
  };
  CHECK(refused(long_chain) == "conv2d 'd': chain is always, but the chain that ends before it has 3 stages already");
  const auto place = [](graph& g) {
    const value x = g.input("x", f32, {1, 9, 9, 16}), n = g.input("n", i32, {1});
    const value d = keep_first(conv2d(x, g.weight("d", {16, 1, 3, 3}), {.pad = 1, .groups = 16}), n, 1);
    g.output(conv2d(d, g.weight("p", {8, 16, 1, 1}), {.chain = always}));
  };
  CHECK(refused(place) != "");
  CHECK(refused(place, target_facts{}) == "conv2d 'p': chain is always, this target has no chains of convolutions");
}

TEST_CASE("steps that are one behind the other are no longer there, nor what lay between them") {
  graph apart, together;
  apart.output(built(apart, {112, 16, 96, 24, 2, never, never}));
  together.output(built(together, {112, 16, 96, 24, 2}));
  const program a = planned(std::move(apart), avx2_facts()), b = planned(std::move(together), avx2_facts());
  CHECK(a.steps.size() == 3);
  CHECK(b.steps.size() == 1);
  CHECK(b.flops == a.flops);
  CHECK(cost_of(view_of(b)).flops == a.flops);
  CHECK(cost_of(view_of(b)).weight_bytes == cost_of(view_of(a)).weight_bytes);
  const std::int64_t between = 4 * (112 * 112 + 56 * 56) * 96;
  CHECK(a.bytes_written - b.bytes_written == between);
  CHECK(a.bytes_read - b.bytes_read == between);
  CHECK(b.arena_bytes * 10 < a.arena_bytes);
}

TEST_CASE("the validator finds a chain that is not one") {
  graph g;
  g.output(built(g, {112, 16, 96, 24, 2}));
  const program whole = planned(std::move(g), avx2_facts());
  REQUIRE(validate(view_of(whole)).ok());
  const auto fault = [&](auto change) {
    program p = whole;
    change(p);
    return std::string(validate(view_of(p)).message());
  };
  CHECK(fault([](program& p) { p.stages.pop_back(); }).find("the plan has 2 stages") != std::string::npos);
  CHECK(fault([](program& p) { p.steps[0].parameters.reach *= 2; }).find("larger than its scratch") !=
        std::string::npos);
  CHECK(fault([](program& p) { p.stages[1].in[0] = p.stages[0].in[0]; }).find("do not hand on") != std::string::npos);
  CHECK(fault([](program& p) { p.stages[2].kernel = 9; }).find("the kernel of a stage is 9") != std::string::npos);
}

TEST_CASE("the report says what a chain saves, and why there is none") {
  const auto text = [](const block& b) {
    graph g;
    g.output(built(g, b));
    const program p = planned(std::move(g), avx2_facts());
    plan_view v = view_of(p);
    const target_facts facts = avx2_facts();
    v.facts = &facts;
    return report(v);
  };
  const std::string with = text({112, 16, 96, 24, 2}), without = text({14, 96, 576, 96});
  CHECK(with.find("kcycles saved (4.74 MiB beyond the cache)") != std::string::npos);
  CHECK(with.find("depthwise 3x3 /2 pad 1 to 1x56x56x96 = relu6(acc)") != std::string::npos);
  CHECK(without.find("takes no rows from step 0: 0 cycles saved") != std::string::npos);
}
