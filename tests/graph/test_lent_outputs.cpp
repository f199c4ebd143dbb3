// SPDX-License-Identifier: Apache-2.0
// Plans that use output buffers as memory: what lies there and for how long, what must not, and that results stay.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tkl/graph.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <tkl/graph/plan_interpreter.hpp>
#include <tkl/graph/validate.hpp>

#include "support/graph_run.hpp"
#include "support/random_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::space, tkl::value;

namespace {

tkl::target_facts lending() {
  tkl::target_facts facts = facts_with(f32, false);
  facts.lends_outputs = true;
  return facts;
}

/// Values of others in output `index`.
int guests(const tkl::program& p, int index) {
  int n = 0;
  for (std::size_t i = 0; i < p.storages.size(); ++i) {
    const tkl::storage& s = p.storages[i];
    if (s.where != space::output || s.index != index || s.first < 0) continue;
    bool own = false;
    for (const std::int16_t e : p.outputs)
      own = own || p.edge_storage[static_cast<std::size_t>(e)] == static_cast<std::int32_t>(i);
    n += !own;
  }
  return n;
}

/// Plans with and without lending; both runs give the results of the graph without passes.
struct both {
  planned_run plain, lent;
  explicit both(const graph& g) {
    const graph_inputs in(g);
    plain = run_planned(g, in, facts_with(f32, false));
    lent = run_planned(g, in, lending());
    REQUIRE(plain.error == "");
    REQUIRE(lent.error == "");
    const auto expected = run_unoptimised(g, in);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      CAPTURE(o);
      CHECK(compare(expected[o], plain.outputs[o], tolerance_of(g)) == "");
      CHECK(compare(expected[o], lent.outputs[o], tolerance_of(g)) == "");
    }
  }
};

value pooled(value x) {
  return tkl::max_pool2d(x, {.kernel = 3, .stride = 1, .pad = 1});
}

}  // namespace

TEST_CASE("values lie in the output until it is written, the operand of its softmax until the end") {
  graph g;
  value x = g.input("x", f32, {1, 16, 16, 4});
  for (int i = 0; i < 4; ++i) x = pooled(x);
  g.output(tkl::softmax(pooled(x)), "y");
  const both b(g);
  constexpr std::int64_t image = 16 * 16 * 4 * 4;
  CHECK(b.plain.program.arena_bytes >= 2 * image);
  CHECK(b.lent.program.arena_bytes < 2 * image);
  CHECK(guests(b.lent.program, 0) >= 3);
  CHECK(guests(b.plain.program, 0) == 0);
}

TEST_CASE("an output that is written early, or read again later, holds nothing else from then on") {
  graph g;
  const value x = g.input("x", f32, {1, 16, 16, 4});
  const value early = pooled(x);
  g.output(early, "early");
  value y = early;
  for (int i = 0; i < 4; ++i) y = pooled(y);
  g.output(y + early, "late");
  const both b(g);
  CHECK(guests(b.lent.program, 0) == 0);
  CHECK(guests(b.lent.program, 1) >= 1);
}

TEST_CASE("outputs of narrow elements, and too small ones, are not lent") {
  graph g;
  value x = g.input("x", f32, {1, 16, 16, 4});
  for (int i = 0; i < 4; ++i) x = pooled(x);
  g.output(tkl::cast(x, tkl::f16), "narrow");
  g.output(tkl::reduce_mean(x, {1, 2}), "small");
  const both b(g);
  CHECK(b.lent.program.arena_bytes == b.plain.program.arena_bytes);
  CHECK(guests(b.lent.program, 0) + guests(b.lent.program, 1) == 0);
}

TEST_CASE("the validator sees a guest that leaves the output, or stays too long") {
  graph g;
  value x = g.input("x", f32, {1, 16, 16, 4});
  for (int i = 0; i < 4; ++i) x = pooled(x);
  g.output(x, "y");
  tkl::program p = planned_with(g, lending());
  const std::string planning = p.error.c_str();
  REQUIRE(planning == "");
  REQUIRE(tkl::validate(tkl::view_of(p)).ok());
  const auto moved = [&](std::int64_t bytes) {
    tkl::program q = p;
    for (std::size_t i = 0; i < q.storages.size(); ++i) {
      tkl::storage& s = q.storages[i];
      if (s.where != space::output || s.last >= static_cast<std::int32_t>(q.steps.size()) - 1) continue;
      s.offset += bytes;
      for (std::size_t e = 0; e < q.edges.size(); ++e)
        if (q.edge_storage[e] == static_cast<std::int32_t>(i)) q.edges[e].offset += bytes;
    }
    return std::string(tkl::validate(tkl::view_of(q)).message());
  };
  CHECK(moved(0) == "");
  CHECK(moved(64).find("leaves the output of 4096 bytes") != std::string::npos);
  CHECK(moved(4).find("is not a multiple of 64") != std::string::npos);
  tkl::program late = p;  // the step before the last hands on through the output, too
  const auto last = static_cast<std::size_t>(late.steps.back().in[0]);
  REQUIRE(late.edges[last].where == space::arena);
  tkl::move_to_output(late, {late.edge_storage[last], 0, 0});
  late.edges[last].offset = 0;
  CHECK(std::string(tkl::validate(tkl::view_of(late)).message()).find("not in place") != std::string::npos);
}
