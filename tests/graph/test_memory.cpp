// SPDX-License-Identifier: Apache-2.0
// The memory planner against a validator of its own: random buffers, exact cases, groups, skew, malformed input.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tkl/graph/passes/memory.hpp>
#include <vector>

using tkl::arena_buffer;
using tkl::arena_order;
using tkl::arena_plan;
using tkl::plan_arena;

namespace {

/// "" when the offsets are a legal plan of `plan.bytes`, else what is wrong. Deliberately the plain quadratic check.
std::string fault_of(const std::vector<arena_buffer>& b, const std::vector<std::int64_t>& at, const arena_plan& plan) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (at[i] % 64 != 0) return "buffer " + std::to_string(i) + " is misaligned";
    if (at[i] < 0 || at[i] + b[i].bytes > plan.bytes) return "buffer " + std::to_string(i) + " leaves the arena";
    for (std::size_t j = 0; j < i; ++j) {
      if (b[i].group >= 0 && b[i].group == b[j].group) {
        if (b[i].bytes > 0 && b[j].bytes > 0 && at[i] != at[j]) return "a group is torn apart";
        continue;
      }
      const bool live_together = b[i].first <= b[j].last && b[j].first <= b[i].last;
      if (live_together && at[i] < at[j] + b[j].bytes && at[j] < at[i] + b[i].bytes)
        return "buffers " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
    }
  }
  return "";
}

/// Greatest sum of live bytes, step by step; groups are given the union of their members.
std::int64_t most_alive(const std::vector<arena_buffer>& b) {
  std::vector<arena_buffer> lone;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto mate = std::find_if(lone.begin(), lone.end(),
                                   [&](const arena_buffer& o) { return o.group >= 0 && o.group == b[i].group; });
    if (b[i].bytes == 0) continue;
    if (mate == lone.end()) {
      lone.push_back(b[i]);
    } else {
      *mate = {std::max(mate->bytes, b[i].bytes), std::min(mate->first, b[i].first), std::max(mate->last, b[i].last),
               mate->group};
    }
  }
  std::int64_t most = 0;
  for (int step = 0; step < 1000; ++step) {
    std::int64_t sum = 0;
    for (const arena_buffer& o : lone) sum += o.first <= step && step <= o.last ? o.bytes : 0;
    most = std::max(most, sum);
  }
  return most;
}

struct outcome {
  arena_plan plan;
  std::vector<std::int64_t> offsets;
};
outcome planned(const std::vector<arena_buffer>& b) {
  outcome o{{}, std::vector<std::int64_t>(b.size(), -1)};
  o.plan = plan_arena(b.data(), static_cast<int>(b.size()), o.offsets.data());
  return o;
}

template <int N>
constexpr arena_plan planned_at_compile_time(const arena_buffer (&b)[N]) {
  std::int64_t offsets[N]{};
  return plan_arena(b, N, offsets);
}

/// A chain of steps as networks have it: each result is read by the next step, some by a later one (residual, concat),
/// some steps need scratch.
std::vector<arena_buffer> network(std::mt19937& random, int steps) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<arena_buffer> b;
  std::int64_t size = 4 * (1 + below(200000));
  for (int s = 0; s < steps; ++s) {
    if (below(5) == 0) size = 4 * (1 + below(200000));
    arena_buffer buffer{size, s, s + 1, -1};
    if (below(4) == 0) buffer.last = s + 2 + below(3);
    if (below(12) == 0) buffer.last = s + 2 + below(steps / 2);
    buffer.last = std::min(buffer.last, steps - 1);
    b.push_back(buffer);
    if (below(3) == 0) b.push_back({4 * below(20000), s, s, -1});
  }
  return b;
}

constexpr arena_buffer chain[] = {{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 3}};
static_assert(planned_at_compile_time(chain).bytes == 2048);
static_assert(planned_at_compile_time(chain).lower_bound == 2000);
constexpr arena_buffer nothing[] = {{0, 0, 0}};
// Nothing leaves 64 bits: the compiler would refuse to evaluate it.
constexpr std::int64_t half_of_all = std::int64_t{1} << 62;
constexpr arena_buffer vast[] = {{half_of_all, 0, 100000}, {half_of_all / 2, 1, 2}, {half_of_all / 4, 0, 1}};
static_assert(planned_at_compile_time(vast).lower_bound == half_of_all + half_of_all / 2 + half_of_all / 4);
static_assert(planned_at_compile_time(nothing).bytes == 0 && planned_at_compile_time(nothing).invalid == -1);

}  // namespace

TEST_CASE("no buffers need no arena") {
  const arena_plan plan = plan_arena(nullptr, 0, nullptr);
  CHECK(plan.bytes == 0);
  CHECK(plan.lower_bound == 0);
  CHECK(plan.invalid == -1);
}

TEST_CASE("two buffers that meet at one step lie side by side, two that do not share their place") {
  CHECK(planned({{640, 0, 1}, {640, 1, 2}}).plan.bytes == 1280);
  CHECK(planned({{640, 0, 1}, {640, 2, 3}}).plan.bytes == 640);
}

TEST_CASE("a gap left by a dead buffer is filled") {
  // The middle one dies; two small ones fit into its place.
  const outcome o = planned({{256, 0, 9}, {512, 0, 3}, {256, 0, 9}, {192, 5, 9}, {320, 6, 9}});
  CHECK(o.plan.bytes == 1024);
  CHECK(o.plan.bytes == o.plan.lower_bound);
}

TEST_CASE("the best order wins: one case for each order that the others lose") {
  const struct {
    std::vector<arena_buffer> buffers;
    std::int64_t bytes;
    arena_order order;
  } cases[] = {
      {{{3072, 0, 1}, {1024, 1, 2}, {2048, 2, 2}}, 4096, arena_order::by_size},
      {{{5120, 4, 4}, {2048, 3, 4}, {3072, 2, 2}, {3072, 2, 3}}, 7168, arena_order::by_step},
      {{{3072, 0, 2}, {5120, 3, 4}, {2048, 2, 4}, {5120, 0, 0}}, 8192, arena_order::by_area},
      {{{4096, 4, 4}, {3072, 3, 4}, {3072, 3, 3}, {3072, 1, 3}}, 9216, arena_order::improved},
  };
  for (const auto& c : cases) {
    const outcome o = planned(c.buffers);
    CHECK(fault_of(c.buffers, o.offsets, o.plan) == "");
    CHECK(o.plan.bytes == c.bytes);
    CHECK(o.plan.lower_bound == c.bytes);
    CHECK(o.plan.order == c.order);
  }
}

TEST_CASE("a group shares one offset, lives from its first to its last member and is as large as its largest") {
  const std::vector<arena_buffer> b{{640, 0, 1, 2}, {1280, 1, 3, 2}, {64, 2, 2}, {64, 4, 5}};
  const outcome o = planned(b);
  CHECK(fault_of(b, o.offsets, o.plan) == "");
  CHECK(o.offsets[0] == o.offsets[1]);
  CHECK(o.plan.lower_bound == 1280 + 64);
  CHECK(o.plan.bytes == 1280 + 64);
}

TEST_CASE("malformed input names the buffer and leaves the offsets alone") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2 + 1;
  const std::vector<std::vector<arena_buffer>> faults{{{1, 0, 0}, {-1, 0, 0}},
                                                      {{1, 0, 0}, {1, -1, 0}},
                                                      {{1, 0, 0}, {1, 2, 1}},
                                                      {{1, 0, 0}, {1, 0, 0, 2}},
                                                      {{huge, 0, 0}, {huge, 1, 1}}};
  for (const auto& b : faults) {
    const outcome o = planned(b);
    CHECK(o.plan.invalid == 1);
    CHECK(o.offsets == std::vector<std::int64_t>{-1, -1});
  }
}

TEST_CASE("pages: large buffers that live together start at different places of their pages where that is cheap") {
  std::vector<arena_buffer> b;
  b.reserve(12);
  for (int i = 0; i < 12; ++i) b.push_back({std::int64_t{4096} << (i % 4), i / 2, i / 2 + 2});
  const outcome o = planned(b);
  CHECK(fault_of(b, o.offsets, o.plan) == "");
  CHECK(o.plan.skewed);
  CHECK(o.plan.bytes <= o.plan.lower_bound + o.plan.lower_bound / 10 + 128 * 12);
  int equal = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      equal += b[i].first <= b[j].last && b[j].first <= b[i].last && o.offsets[i] % 4096 == o.offsets[j] % 4096;
  CHECK(equal == 0);
}

TEST_CASE("random buffers: legal, never below the bound, and the bound is the plain sum") {
  std::mt19937 random(20240611);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 3000; ++round) {
    const int count = 1 + below(60), steps = 1 + below(50);
    std::vector<arena_buffer> b;
    for (int i = 0; i < count; ++i) {
      arena_buffer buffer;
      buffer.bytes = below(8) == 0 ? 0 : below(3) == 0 ? std::int64_t{64} << below(10) : below(50000);
      buffer.first = below(steps);
      buffer.last = std::min(steps - 1, buffer.first + below(1 + below(steps)));
      if (below(10) == 0) buffer.group = below(count);
      b.push_back(buffer);
    }
    const outcome o = planned(b);
    REQUIRE(o.plan.invalid == -1);
    REQUIRE(fault_of(b, o.offsets, o.plan) == "");
    REQUIRE(o.plan.lower_bound == most_alive(b));
    REQUIRE(tkl::arena_lower_bound(b.data(), count) == o.plan.lower_bound);
    REQUIRE(o.plan.bytes >= o.plan.lower_bound);
    REQUIRE(o.plan.bytes % 64 == 0);
  }
}

TEST_CASE("plans shaped like networks stay within 1.1 times the bound and 128 bytes a buffer") {
  std::mt19937 random(7);
  int over = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto b = network(random, 10 + static_cast<int>(random() % 90));
    const outcome o = planned(b);
    REQUIRE(fault_of(b, o.offsets, o.plan) == "");
    const auto count = static_cast<std::int64_t>(b.size());
    over += o.plan.bytes > o.plan.lower_bound + o.plan.lower_bound / 10 + 128 * count;
  }
  // No order need reach the bound (the problem is NP-hard): a few of these plans have no solution that close.
  CHECK(over <= 10);
}
