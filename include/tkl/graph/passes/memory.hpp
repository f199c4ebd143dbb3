// SPDX-License-Identifier: Apache-2.0
// Memory planning: one offset in the arena for each buffer, so that no two buffers that live at the same step overlap.
//
// This is offline dynamic storage allocation, which is NP-hard; greedy orders come close on networks (Pisarchyk and
// Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020). Each order places its buffers one by one at
// the lowest offset where they fit (first fit); the orders tried are: by size, by first step, by size times lifetime,
// and then a short walk that moves whatever reaches highest to the front. The search stops as soon as the lower bound
// is reached.
//
// Proof obligation: two buffers whose step ranges meet never share a byte, whatever the order; an order decides the
// total only. tests/graph/test_memory.cpp checks that against a validator of its own.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/plan.hpp>
#include <vector>

namespace tkl {

/// A buffer that needs room in the arena from step `first` to step `last`, both included. Scratch of a step is a buffer
/// with first == last.
struct arena_buffer {
  std::int64_t bytes = 0;   // 0: takes no room, lies at offset 0
  std::int32_t first = 0;   // number of the step that first writes it
  std::int32_t last = 0;    // number of the step that last uses it
  std::int32_t group = -1;  // 0 to count - 1: buffers of one group get the same offset (in-place chains); -1: alone
};

enum class arena_order : std::uint8_t { by_size, by_step, by_area, improved };

struct arena_plan {
  std::int64_t bytes = 0;        // size of the arena, a multiple of 64
  std::int64_t lower_bound = 0;  // see arena_lower_bound
  arena_order order = arena_order::by_size;
  bool skewed = false;        // whether equal page offsets were avoided
  std::int32_t invalid = -1;  // first buffer with negative or too many bytes, steps out of order, or a bad group
};

namespace detail {

inline constexpr std::int64_t page_bytes = 4096;

struct arena_item {
  std::int64_t bytes = 0;    // a multiple of the alignment
  std::int64_t offset = -1;  // -1: not placed yet
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t neighbours = 0;  // where the list of the items that live at one of its steps begins
  std::int32_t near_end = 0;
};

/// Smallest offset from `at` on, in steps of 64 bytes, whose place in its page is not in `taken` (bit i: byte 64 i);
/// `at` itself when all are taken.
constexpr std::int64_t skewed_offset(std::int64_t at, std::uint64_t taken) {
  const int slot = static_cast<int>(at / buffer_alignment % 64);
  const int steps = std::countr_one(std::rotr(taken, slot));
  return steps == 64 ? at : at + steps * buffer_alignment;
}

/// Places the items in the order given, each at the lowest offset where no item that lives at the same time is in the
/// way. Returns the bytes needed. With `skew`, an item of a page or more avoids the page offsets of those that live at
/// the same time, where the gap has room for it, and by at most 128 bytes above the highest. `near`: the lists of the
/// items; `placed`: room for as many items.
///
///   for each item: for each item that lives at the same time and is placed: sort in by offset
///                  for each of those by rising offset: is the gap below it large enough?
constexpr std::int64_t place_first_fit(arena_item* items, const std::int32_t* neighbours, const std::int32_t* order,
                                       int count, const arena_item** placed, bool skew) {
  for (int i = 0; i < count; ++i) items[i].offset = -1;
  std::int64_t total = 0;
  for (int k = 0; k < count; ++k) {
    arena_item& item = items[order[k]];
    int n = 0;
    std::uint64_t taken = 0;
    for (std::int32_t e = item.neighbours; e < item.near_end; ++e) {
      const arena_item* const other = items + neighbours[e];
      if (other->offset < 0) continue;
      if (other->bytes >= page_bytes) taken |= std::uint64_t{1} << (other->offset / buffer_alignment % 64);
      int place = n++;
      for (; place > 0 && placed[place - 1]->offset > other->offset; --place) placed[place] = placed[place - 1];
      placed[place] = other;
    }
    if (!skew || item.bytes < page_bytes) taken = 0;
    std::int64_t at = 0, found = -1;
    for (int j = 0; j < n && found < 0; ++j) {
      const arena_item& other = *placed[j];
      if (other.offset - at >= item.bytes) {
        found = skewed_offset(at, taken);
        if (other.offset - found < item.bytes) found = at;
      } else if (other.offset + other.bytes > at) {
        at = other.offset + other.bytes;
      }
    }
    if (found < 0) {
      found = skewed_offset(at, taken);
      if (found - at > 2 * buffer_alignment) found = at;
    }
    item.offset = found;
    if (found + item.bytes > total) total = found + item.bytes;
  }
  return total;
}

/// Sorts `order` by falling `key`, stable (bottom-up merge sort: few steps of constant evaluation).
constexpr void sort_by_falling(const std::int64_t* key, std::int32_t* order, std::int32_t* spare, int count) {
  for (int width = 1; width < count; width *= 2) {
    for (int left = 0; left < count; left += 2 * width) {
      const int middle = left + width < count ? left + width : count;
      const int right = middle + width < count ? middle + width : count;
      int a = left, b = middle;
      for (int k = left; k < right; ++k)
        spare[k] = b == right || (a < middle && key[order[a]] >= key[order[b]]) ? order[a++] : order[b++];
    }
    for (int k = 0; k < count; ++k) order[k] = spare[k];
  }
}

/// Makes one item of each group and of each buffer outside a group, sizes as they came. item_of[i]: the item of buffer
/// i, -1 when it has no bytes. Returns the number of items.
constexpr int merge_groups(const arena_buffer* buffers, int count, arena_item* items, std::int32_t* item_of) {
  std::vector<std::int32_t> item_of_group(static_cast<std::size_t>(count), -1);
  int n = 0;
  for (int i = 0; i < count; ++i) {
    const arena_buffer& b = buffers[i];
    item_of[i] = -1;
    if (b.bytes == 0) continue;
    if (b.group >= 0) {
      std::int32_t& known = item_of_group[static_cast<std::size_t>(b.group)];
      if (known >= 0) {
        arena_item& item = items[known];
        item_of[i] = known;
        if (b.bytes > item.bytes) item.bytes = b.bytes;
        if (b.first < item.first) item.first = b.first;
        if (b.last > item.last) item.last = b.last;
        continue;
      }
      known = n;
    }
    item_of[i] = n;
    items[n].bytes = b.bytes;
    items[n].first = b.first;
    items[n].last = b.last;
    ++n;
  }
  return n;
}

/// Greatest sum of bytes alive at one step.
constexpr std::int64_t most_alive(const arena_item* items, int count) {
  std::int32_t steps = 0;
  for (int i = 0; i < count; ++i)
    if (items[i].last >= steps) steps = items[i].last + 1;
  std::vector<std::int64_t> change(static_cast<std::size_t>(steps) + 1, 0);
  std::int64_t* const at = change.data();
  for (int i = 0; i < count; ++i) {
    at[items[i].first] += items[i].bytes;
    at[items[i].last + 1] -= items[i].bytes;
  }
  std::int64_t alive = 0, most = 0;
  for (std::int32_t s = 0; s < steps; ++s) {
    alive += at[s];
    if (alive > most) most = alive;
  }
  return most;
}

/// Tries orders and keeps the best.
struct arena_search {
  arena_item* items;
  int count;
  std::int64_t enough;  // bytes at which no better plan is worth looking for
  std::vector<std::int32_t> order, spare, best_order, neighbours{};
  std::vector<std::int64_t> key, best_offset;
  std::vector<const arena_item*> placed;
  std::int64_t best = -1;
  arena_order best_kind = arena_order::by_size;

  constexpr arena_search(arena_item* first, int n, std::int64_t good_enough)
      : items(first),
        count(n),
        enough(good_enough),
        order(static_cast<std::size_t>(n), 0),
        spare(static_cast<std::size_t>(n), 0),
        best_order(static_cast<std::size_t>(n), 0),
        key(static_cast<std::size_t>(n), 0),
        best_offset(static_cast<std::size_t>(n), 0),
        placed(static_cast<std::size_t>(n), nullptr) {
    find_near();
  }

  /// Lists, for each item, those that live at one of its steps.
  constexpr void find_near() {
    sort(arena_order::by_step);
    const std::int32_t* const o = order.data();
    for (int a = 0; a < count; ++a)  // counts first
      for (int b = a + 1; b < count && items[o[b]].first <= items[o[a]].last; ++b)
        ++items[o[a]].near_end, ++items[o[b]].near_end;
    std::int32_t total = 0;
    for (int i = 0; i < count; ++i) {
      items[i].neighbours = total;
      total += items[i].near_end;
      items[i].near_end = items[i].neighbours;
    }
    neighbours = std::vector<std::int32_t>(static_cast<std::size_t>(total), 0);
    std::int32_t* const list = neighbours.data();
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count && items[o[b]].first <= items[o[a]].last; ++b) {
        list[items[o[a]].near_end++] = o[b];
        list[items[o[b]].near_end++] = o[a];
      }
    }
  }

  /// Places in the order `by`; returns the bytes needed.
  constexpr std::int64_t place(const std::vector<std::int32_t>& by, bool skew) {
    return place_first_fit(items, neighbours.data(), by.data(), count, placed.data(), skew);
  }

  /// Places in the present order; returns the bytes needed.
  constexpr std::int64_t attempt(arena_order kind) {
    const std::int64_t bytes = place(order, false);
    if (best >= 0 && bytes >= best) return bytes;
    best = bytes;
    best_kind = kind;
    best_order = order;
    for (int i = 0; i < count; ++i) best_offset.data()[i] = items[i].offset;
    return bytes;
  }

  constexpr void sort(arena_order kind) {
    std::int32_t* const o = order.data();
    std::int64_t* const k = key.data();
    for (int i = 0; i < count; ++i) {
      const arena_item& item = items[i];
      o[i] = i;
      if (kind != arena_order::by_area) {
        k[i] = kind == arena_order::by_size ? item.bytes : -std::int64_t{item.first};
      } else if (multiply_overflows(item.bytes / buffer_alignment, item.last - item.first + 1, &k[i])) {
        k[i] = checked::largest;
      }
    }
    sort_by_falling(k, o, spare.data(), count);
  }

  /// Moves the items that end at `top` to the front of the order.
  constexpr void promote(std::int64_t top) {
    std::int32_t *const o = order.data(), *const front = spare.data();
    int kept = 0, promoted = 0;
    for (int i = 0; i < count; ++i) {
      const arena_item& item = items[o[i]];
      if (item.offset + item.bytes == top) {
        front[promoted++] = o[i];
      } else {
        o[kept++] = o[i];
      }
    }
    for (int i = kept - 1; i >= 0; --i) o[i + promoted] = o[i];
    for (int i = 0; i < promoted; ++i) o[i] = front[i];
  }

  constexpr void run() {
    constexpr arena_order kinds[] = {arena_order::by_size, arena_order::by_step, arena_order::by_area};
    for (const arena_order kind : kinds) {
      sort(kind);
      attempt(kind);
      if (best <= enough) return;
    }
    order = best_order;
    for (int i = 0; i < count; ++i) items[i].offset = best_offset.data()[i];
    std::int64_t top = best;
    constexpr int walk = 24;
    for (int i = 0; i < walk && best > enough; ++i) {
      promote(top);
      top = attempt(arena_order::improved);
    }
  }
};

}  // namespace detail

/// Greatest sum of live bytes over the steps: no plan for this order of steps can be smaller. Buffers of one group
/// count once, with the largest size, from their first step to their last. Steps number from 0 and are dense.
constexpr std::int64_t arena_lower_bound(const arena_buffer* buffers, int count) {
  std::vector<detail::arena_item> items(static_cast<std::size_t>(count), detail::arena_item{});
  std::vector<std::int32_t> item_of(static_cast<std::size_t>(count), -1);
  const int n = detail::merge_groups(buffers, count, items.data(), item_of.data());
  return detail::most_alive(items.data(), n);
}

/// Writes offsets[i], a multiple of 64, for each buffer. Buffers whose step ranges meet do not overlap unless they are
/// of one group. On malformed input `invalid` names the buffer and offsets are left alone.
constexpr arena_plan plan_arena(const arena_buffer* buffers, int count, std::int64_t* offsets) {
  arena_plan plan;
  checked sum = 0;
  for (int i = 0; i < count; ++i) {
    const arena_buffer& b = buffers[i];
    sum = sum + b.bytes + 4 * buffer_alignment;
    if (b.bytes < 0 || b.first < 0 || b.last < b.first || b.group >= count || !sum.valid) {
      plan.invalid = i;
      return plan;
    }
  }
  std::vector<detail::arena_item> item_store(static_cast<std::size_t>(count), detail::arena_item{});
  std::vector<std::int32_t> item_of_store(static_cast<std::size_t>(count), -1);
  detail::arena_item* const items = item_store.data();
  std::int32_t* const item_of = item_of_store.data();
  const int n = detail::merge_groups(buffers, count, items, item_of);
  plan.lower_bound = detail::most_alive(items, n);
  for (int i = 0; i < n; ++i) items[i].bytes = round_up(items[i].bytes, buffer_alignment);

  const checked enough = checked(plan.lower_bound) + plan.lower_bound / 64 + n * buffer_alignment;
  detail::arena_search search(items, n, enough.valid ? enough.value : checked::largest);
  search.run();
  plan.bytes = search.best;
  plan.order = search.best_kind;

  // Buffers at equal page offsets compete for the same cache sets, and a load seems to follow a store to its address.
  const std::int64_t skewed = search.place(search.best_order, true);
  plan.skewed = skewed <= plan.bytes + n * buffer_alignment;
  if (plan.skewed) plan.bytes = skewed;
  const std::int64_t* const plain = search.best_offset.data();
  for (int i = 0; i < count; ++i)
    offsets[i] = item_of[i] < 0 ? 0 : plan.skewed ? items[item_of[i]].offset : plain[item_of[i]];
  return plan;
}

}  // namespace tkl
