// SPDX-License-Identifier: Apache-2.0
// Order: the builder's order of the steps, or another one in which fewer bytes live at once.
//
//   while steps are left:
//     of the steps whose operands are written:
//       take the one after which the fewest bytes live          on a tie the one that the builder wrote first
//
// Finding the best order is NP-complete (register sufficiency: Sethi, 1975). This greedy one finishes a branch before
// it opens the next wherever the branch ends smaller than it was. It counts neither scratch nor results that take over
// the bytes of an operand, so one whose greatest sum of live bytes is smaller is a candidate: make_program plans both
// orders and keeps the smaller arena.
//
// A step depends on the steps that wrote a storage it reads, up to its place in the builder's order; parts of one
// concatenation are written in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/graph/program.hpp>
#include <utility>
#include <vector>

namespace tkl {

namespace detail {

/// Calls f(edge) for the edges that a step reads.
template <class F>
constexpr void for_each_read(const step& s, F f) {
  for (std::int16_t e : s.in)
    if (e >= 0) f(e);
  for (std::int16_t e : s.operand)
    if (e >= 0) f(e);
  for (std::int16_t e : s.prologue_operand)
    if (e >= 0) f(e);
}

constexpr std::int32_t storage_of(const program& p, std::int16_t e) {
  return p.edge_storage[static_cast<std::size_t>(e)];
}

/// Calls f(storage, writes) for every edge of a step but its weights; a storage may be named more than once.
template <class F>
constexpr void for_each_use(const program& p, const step& s, F f) {
  for_each_read(s, [&](std::int16_t e) { f(storage_of(p, e), false); });
  f(storage_of(p, s.out), true);
}

/// What the search knows of an arena storage. Others take no room here: `bytes` is 0. Sums of sizes may leave 64 bits,
/// which the memory planner reports: they are doubles here.
struct live_storage {
  double bytes = 0;
  std::int32_t uses = 0;  // reads and writes by steps that are left
  bool written = false;
};

/// The search of an order: dependencies as lists of successors, storages with the uses that are left.
class step_scheduler {
 public:
  constexpr explicit step_scheduler(const program& p) : p_(p), storages_(p.storages.size(), live_storage{}) {
    const std::size_t count = p.steps.size();
    waits_.assign(count, 0);
    successors_.assign(count, {});
    std::vector<std::vector<std::int32_t>> writers(p.storages.size(), std::vector<std::int32_t>{});
    for (std::size_t i = 0; i < count; ++i) {
      for_each_use(p, p.steps[i], [&](std::int32_t s, bool writes) {
        const storage& from = p.storages[static_cast<std::size_t>(s)];
        live_storage& live = storages_[static_cast<std::size_t>(s)];
        if (from.where == space::arena) live.bytes = static_cast<double>(from.bytes);
        ++live.uses;
        if (!writes)
          for (std::int32_t w : writers[static_cast<std::size_t>(s)]) {
            successors_[static_cast<std::size_t>(w)].push_back(static_cast<std::int32_t>(i));
            ++waits_[i];
          }
      });
      writers[static_cast<std::size_t>(storage_of(p, p.steps[i].out))].push_back(static_cast<std::int32_t>(i));
    }
  }

  /// The greedy order. Afterwards `peak` is its greatest sum of live bytes.
  constexpr std::vector<std::int32_t> order() {
    std::vector<std::int32_t> ready, done;
    for (std::size_t i = 0; i < waits_.size(); ++i)
      if (waits_[i] == 0) ready.push_back(static_cast<std::int32_t>(i));
    while (!ready.empty()) {
      std::size_t best = 0;
      if (ready.size() > 1) {
        double least = growth(ready[0]);
        for (std::size_t k = 1; k < ready.size(); ++k) {
          const double g = growth(ready[k]);
          if (g < least || (g == least && ready[k] < ready[best])) least = g, best = k;
        }
      }
      const std::int32_t step = ready[best];
      ready[best] = ready.back();
      ready.pop_back();
      done.push_back(step);
      take(p_.steps[static_cast<std::size_t>(step)]);
      for (std::int32_t next : successors_[static_cast<std::size_t>(step)])
        if (--waits_[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
    }
    return done;
  }
  constexpr double peak() const { return peak_; }

 private:
  constexpr void take(const step& s) {
    live_storage& result = storages_[static_cast<std::size_t>(storage_of(p_, s.out))];
    if (!result.written) alive_ += result.bytes;
    result.written = true;
    if (alive_ > peak_) peak_ = alive_;
    for_each_use(p_, s, [&](std::int32_t used, bool) {
      live_storage& live = storages_[static_cast<std::size_t>(used)];
      if (--live.uses == 0) alive_ -= live.bytes;
    });
  }
  /// Bytes that live after a step and did not before, less those that it is the last to use.
  constexpr double growth(std::int32_t step) {
    double sum = 0;
    const tkl::step& taken = p_.steps[static_cast<std::size_t>(step)];
    for_each_use(p_, taken, [&](std::int32_t s, bool writes) {
      live_storage& live = storages_[static_cast<std::size_t>(s)];
      if (writes && !live.written) sum += live.bytes;
      if (--live.uses == 0) sum -= live.bytes;
    });
    for_each_use(p_, taken, [&](std::int32_t s, bool) { ++storages_[static_cast<std::size_t>(s)].uses; });
    return sum;
  }

  const program& p_;
  std::vector<live_storage> storages_;
  std::vector<std::int32_t> waits_{};  // steps to wait for
  std::vector<std::vector<std::int32_t>> successors_{};
  double alive_ = 0, peak_ = 0;
};

/// Arena bytes that one step touches: they live at once in every order.
constexpr double bytes_at(const program& p, const step& s) {
  std::int32_t seen[step_inputs + max_operands + prologue_operands + 1]{};
  int count = 0;
  double sum = 0;
  for_each_use(p, s, [&](std::int32_t used, bool) {
    for (int i = 0; i < count; ++i)
      if (seen[i] == used) return;
    seen[count++] = used;
    const storage& from = p.storages[static_cast<std::size_t>(used)];
    if (from.where == space::arena) sum += static_cast<double>(from.bytes);
  });
  return sum;
}

/// The live bytes of the steps as they stand: the greatest sum, and whether one step alone touches as many, so that no
/// order has fewer.
struct live_peak {
  double bytes = 0;
  bool least = false;
};
constexpr live_peak peak_of(const program& p) {
  std::vector<double> change(p.steps.size() + 1, 0.0);
  for (const storage& s : p.storages) {
    if (s.where != space::arena || s.first < 0) continue;
    change[static_cast<std::size_t>(s.first)] += static_cast<double>(s.bytes);
    change[static_cast<std::size_t>(s.last) + 1] -= static_cast<double>(s.bytes);
  }
  live_peak peak;
  double alive = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    alive += change[i];
    if (alive > peak.bytes) peak.bytes = alive, at = i;
  }
  peak.least = peak.bytes == 0 || bytes_at(p, p.steps[at]) >= peak.bytes;
  return peak;
}

}  // namespace detail

/// An order of the steps in which fewer bytes live at once: numbers of the builder's order. Empty when none was found.
constexpr std::vector<std::int32_t> order_steps(const program& p) {
  const detail::live_peak peak = detail::peak_of(p);
  if (peak.least) return {};
  detail::step_scheduler scheduler(p);
  std::vector<std::int32_t> order = scheduler.order();
  if (scheduler.peak() >= peak.bytes) order.clear();
  return order;
}

/// First and last use of every storage, for steps that were changed. Before scratch and in-place: they depend on it.
constexpr void find_lifetimes(program& p) {
  for (storage& s : p.storages) s.first = s.last = -1;
  std::int32_t now = 0;
  for (const step& s : p.steps) {
    const auto touch = [&](std::int16_t e) {
      if (e < 0) return;
      storage& t = p.storages[static_cast<std::size_t>(detail::storage_of(p, e))];
      if (t.first < 0) t.first = now;
      t.last = now;
    };
    detail::for_each_read(s, touch);
    touch(s.weight);
    touch(s.out);
    ++now;
  }
}

/// Puts the steps into that order; lifetimes follow.
constexpr void reorder_steps(program& p, const std::vector<std::int32_t>& order) {
  std::vector<step> steps;
  for (std::int32_t from : order) steps.push_back(p.steps[static_cast<std::size_t>(from)]);
  p.steps = std::move(steps);
  find_lifetimes(p);
}

}  // namespace tkl
