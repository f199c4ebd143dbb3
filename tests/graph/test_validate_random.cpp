// SPDX-License-Identifier: Apache-2.0
// The validator against a simulation that keeps, for every byte of the arena, whose it is: random plans as the memory
// planner makes them, sound ones and ones in which a value was moved.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tkl/graph/passes/memory.hpp>
#include <tkl/graph/validate.hpp>
#include <vector>

#include "support/hand_plan.hpp"

using support::hand_plan;
using tkl::algorithm;

namespace {

template <class F>
void for_each_byte(const tkl::edge& e, F f) {
  for (int i = 0; i < e.extent[2]; ++i)
    for (int j = 0; j < e.extent[3]; ++j)
      for (int b = 0; b < 4; ++b)
        f(static_cast<std::size_t>(e.offset + 4 * (std::int64_t{i} * e.stride[2] + std::int64_t{j} * e.stride[3]) + b));
}

/// Runs the plan on bytes that know the value that they belong to. True when every read sees the bytes of its value, no
/// step writes over what it reads, and the scratch of a step is nobody else's in it.
bool simulated(const hand_plan& h) {
  std::vector<std::int32_t> owner(static_cast<std::size_t>(h.p.arena_bytes), -1);
  const auto at = [&](int e) -> const tkl::edge& { return h.p.edges[static_cast<std::size_t>(e)]; };
  const auto value = [&](int e) { return h.p.edge_storage[static_cast<std::size_t>(e)]; };
  for (const tkl::step& s : h.p.steps) {
    std::vector<int> reads;
    for (const auto e : s.in)
      if (e >= 0 && at(e).where == tkl::space::arena) reads.push_back(e);
    bool good = true;
    for (int r : reads) for_each_byte(at(r), [&](std::size_t b) { good = good && owner[b] == value(r); });
    for (int w : {int{s.scratch}, int{s.out}}) {
      if (w < 0 || at(w).where != tkl::space::arena) continue;
      for_each_byte(at(w), [&](std::size_t b) { owner[b] = value(w); });
      for (int r : reads) for_each_byte(at(r), [&](std::size_t b) { good = good && owner[b] == value(r); });
    }
    if (s.scratch >= 0)
      for_each_byte(at(s.scratch), [&](std::size_t b) { good = good && owner[b] == value(s.scratch); });
    if (!good) return false;
  }
  return true;
}

/// A network: each step reads one or two earlier values; some values are concatenations written by two steps.
struct random_plan {
  hand_plan h{};
  std::vector<int> whole{};  // per value the edge of all of it

  explicit random_plan(std::mt19937& random) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int x = h.input("x", 64);
    std::vector<tkl::arena_buffer> buffers;
    std::vector<std::int32_t> storages;
    const int steps = 4 + below(12);
    const auto use = [&](int e, int step) {
      for (std::size_t i = 0; i < storages.size(); ++i)
        if (storages[i] == h.p.edge_storage[static_cast<std::size_t>(e)])
          buffers[i].last = std::max(buffers[i].last, step);
    };
    const auto new_storage = [&](int floats, int step) {
      storages.push_back(h.storage(tkl::space::arena, "v", 4 * floats, 0));
      buffers.push_back({4 * floats, step, step});
      return storages.back();
    };
    for (int s = 0; s < steps;) {
      std::vector<int> from{
          whole.empty() || below(6) == 0
              ? x
              : whole[whole.size() - 1 -
                      static_cast<std::size_t>(below(std::min<int>(3, static_cast<int>(whole.size()))))]};
      if (whole.size() > 1 && below(3) == 0)
        from.push_back(whole[static_cast<std::size_t>(below(static_cast<int>(whole.size())))]);
      const auto add = [&](int out) {
        tkl::step& step = h.step(algorithm::conv2d, "s", {}, out);
        for (std::size_t i = 0; i < from.size(); ++i) step.in[i] = static_cast<std::int16_t>(from[i]), use(from[i], s);
        if (below(4) == 0) {
          const int floats = 1 + below(60);
          const int scratch = h.vector(new_storage(floats, s), floats);
          h.p.steps.back().scratch = static_cast<std::int16_t>(scratch);
        }
        use(out, s);
        ++s;
      };
      if (below(3) == 0) {
        const int rows = 1 + below(6), left = 1 + below(8), right = 1 + below(8);
        const std::int32_t cat = new_storage(rows * (left + right), s);
        add(h.matrix(cat, rows, left, left + right));
        add(h.matrix(cat, rows, right, left + right, left));
        whole.push_back(h.vector(cat, rows * (left + right)));
      } else {
        const int floats = 1 + below(100);
        whole.push_back(h.vector(new_storage(floats, s), floats));
        add(whole.back());
      }
    }
    std::vector<std::int64_t> offsets(buffers.size());
    const tkl::arena_plan plan = tkl::plan_arena(buffers.data(), static_cast<int>(buffers.size()), offsets.data());
    h.p.arena_bytes = plan.bytes;
    for (std::size_t i = 0; i < storages.size(); ++i) move(storages[i], offsets[i]);
  }

  void move(std::int32_t storage, std::int64_t to) {
    tkl::storage& s = h.p.storages[static_cast<std::size_t>(storage)];
    for (std::size_t e = 0; e < h.p.edges.size(); ++e)
      if (h.p.edge_storage[e] == storage) h.p.edges[e].offset += to - s.offset;
    s.offset = to;
  }
};

}  // namespace

TEST_CASE("plans of the memory planner are sound, and the validator says so") {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const random_plan r(random);
    REQUIRE(simulated(r.h));
    REQUIRE(tkl::validate(tkl::view_of(r.h.p)).message() == std::string());
  }
}

TEST_CASE("after a value is moved the validator agrees with the simulation") {
  std::mt19937 random(4);
  int broken = 0, stricter = 0;
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    random_plan r(random);
    std::vector<std::int32_t> movable;
    for (std::size_t i = 0; i < r.h.p.storages.size(); ++i)
      if (r.h.p.storages[i].where == tkl::space::arena) movable.push_back(static_cast<std::int32_t>(i));
    const std::int32_t moved = movable[random() % movable.size()];
    const std::int64_t room = r.h.p.arena_bytes - r.h.p.storages[static_cast<std::size_t>(moved)].bytes;
    r.move(moved, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(room / 64 + 1)) * 64);
    const bool good = simulated(r.h), accepted = tkl::validate(tkl::view_of(r.h.p)).ok();
    broken += !good;
    if (!good) REQUIRE_FALSE(accepted);
    stricter += good && !accepted;
  }
  CHECK(broken > rounds / 5);
  CHECK(stricter < rounds / 50);  // foreign values in the part of a concatenation that is not written yet
}
