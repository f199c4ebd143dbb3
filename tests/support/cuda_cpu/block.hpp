// SPDX-License-Identifier: Apache-2.0
// A block of CUDA threads on one CPU thread: every CUDA thread is a fiber that runs until it meets a barrier or an
// operation of its warp.
//
// Threads so run far ahead of each other, in the order that a test asks for: a missing barrier gives wrong numbers. A
// barrier that some threads never reach, or an operation whose lanes never meet, is reported with the place of each
// thread. Shared memory ends at a page that may not be touched and begins as NaN.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "fiber.hpp"

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace cuda_cpu {

inline constexpr unsigned warp_size = 32;
inline constexpr std::size_t shared_most = std::size_t{256} << 10;

/// In which order the threads of a block start and go on.
enum class thread_order { forward, reverse, random };
inline thread_order order = thread_order::forward;
inline std::uint64_t order_seed = 1;

/// A copy of cp.async: its data arrive as late as the program allows.
struct async_copy {
  void* to;
  const void* from;
  unsigned bytes, total;
};

struct thread;

/// A barrier in shared memory: a phase ends when all have arrived and all bytes that were announced are there.
struct memory_barrier {
  unsigned arrivals = 0, missing = 0;
  std::int64_t bytes = 0;
  unsigned phase = 0;
  std::vector<thread*> waiting{};
  char ended = 0;  // what the thread sanitizer orders by
};
/// A copy that a barrier counts: `work` writes `bytes` bytes.
struct bulk_copy {
  std::uint32_t barrier;
  std::int64_t bytes;
  std::function<void()> work;
  char* begun;  // what the thread sanitizer orders by
};

/// One CUDA thread.
struct thread {
  fiber own{};
  uint3 index{};
  unsigned lane = 0, warp = 0;
  unsigned mask = 0;       // of the warp operation that it waits in
  unsigned exchanges = 0;  // alternates the two slots of the warp's exchange
  const char* at = "running";
  std::vector<std::vector<async_copy>> copies{1};               // groups; the last is still open
  std::vector<std::vector<std::function<void()>>> products{1};  // groups of wgmma; the last is still open
  bool products_begun = false;                                  // a fence stands before them
  char arrives = 0, leaves = 0;                                 // what the thread sanitizer orders by
};

struct warp {
  unsigned exists = 0, waiting = 0, ended = 0;
  thread* lane[warp_size]{};
  alignas(16) std::byte slot[2][warp_size][32]{};
};

class block {
 public:
  uint3 index{};
  dim3 grid{}, threads{};

  /// Runs `body` for every thread.
  void run(dim3 g, dim3 size, uint3 place, std::size_t shared, const std::function<void()>& body) {
    const quiet q;
    grid = g, threads = size, index = place, body_ = &body;
    const unsigned count = size.x * size.y * size.z;
    while (all_.size() < count) all_.push_back(new thread);
    warps_.assign((count + warp_size - 1) / warp_size, {});
    ready_.clear();
    next_ = 0;
    for (unsigned i = 0; i < count; ++i) {
      thread& t = *all_[i];
      t.index = {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
      t.lane = i % warp_size, t.warp = i / warp_size, t.mask = 0, t.exchanges = 0, t.at = "running";
      if (t.copies.size() != 1 || !t.copies[0].empty()) t.copies.assign(1, {});
      t.products.assign(1, {});
      t.products_begun = false;
      warp& w = warps_[t.warp];
      w.lane[t.lane] = &t;
      w.exists |= 1u << t.lane;
      t.own.begin(&block::enter);
      ready_.push_back(&t);
    }
    arrived_.clear();
    barriers_.clear();
    bulk_.clear();
    live_ = count;
    set_order(ready_);
    fill_shared(shared);
    main_.release(&body_);
    if (count != 0) go_on();
    main_.acquire(&live_);
    if (!bulk_.empty()) die("the block ended before a bulk copy was there");
  }

  thread& current() const { return *current_; }
  std::byte* shared() const { return shared_; }
  /// Addresses within shared memory count bytes from the start of a window.
  std::uint32_t shared_address() const { return static_cast<std::uint32_t>(shared_ - shared_pages_); }
  std::byte* shared_at(std::uint32_t address, std::size_t bytes) const {
    if (address < shared_address() || address + bytes > shared_most) die("an access outside of shared memory");
    return shared_pages_ + address;
  }

  void barrier(const char* at) {
    const quiet q;
    current_->at = at;
    current_->own.release(&current_->arrives);
    arrived_.push_back(current_);
    if (arrived_.size() == live_) {
      release(std::exchange(arrived_, {}));
    }
    go_on();
    current_->own.acquire(&current_->leaves);
  }

  /// Lets the lanes of `mask` meet.
  void meet(unsigned mask, const char* at) {
    const quiet q;
    warp& w = warps_[current_->warp];
    mask &= w.exists;
    current_->at = at;
    current_->mask = mask;
    if ((mask >> current_->lane & 1) == 0) die("a warp operation by a lane that its mask leaves out");
    if ((mask & w.ended) != 0) die("a warp operation whose mask names a lane that has ended");
    current_->own.release(&current_->arrives);
    w.waiting |= 1u << current_->lane;
    bool all = true;
    std::vector<thread*> lanes;
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      all = all && (w.waiting >> l & 1) != 0 && w.lane[l]->mask == mask;
      lanes.push_back(w.lane[l]);
    }
    if (all) {
      w.waiting &= ~mask;
      release(std::move(lanes));
    }
    go_on();
    current_->own.acquire(&current_->leaves);
  }

  /// f(slot of a lane), after every lane of `mask` has given v.
  template <class T, class F>
  void exchange(unsigned mask, const T& v, const char* at, F f) {
    static_assert(sizeof(T) <= sizeof(warp::slot[0][0]));
    warp& w = warps_[current_->warp];
    const unsigned use = current_->exchanges++ & 1;
    {
      const quiet q;
      std::memcpy(w.slot[use][current_->lane], &v, sizeof v);
    }
    meet(mask, at);
    const quiet q;
    f([&](unsigned lane) {
      T x;
      std::memcpy(&x, w.slot[use][lane % warp_size], sizeof x);
      return x;
    });
  }

  /// Barriers in shared memory, by their addresses.
  void begin_memory_barrier(std::uint32_t at, unsigned arrivals) {
    const quiet q;
    if (at % 8 != 0) die("mbarrier.init: an address is not a multiple of 8");
    memory_barrier b;
    b.arrivals = b.missing = arrivals;
    barriers_[at] = b;
  }
  void arrive(std::uint32_t at, unsigned bytes) {
    const quiet q;
    memory_barrier& b = memory_barrier_at(at);
    if (b.missing == 0) die("more arrivals at a barrier than its phase takes");
    current_->own.release(&b.ended);
    --b.missing;
    b.bytes += bytes;
    end_phase(b);
  }
  void wait(std::uint32_t at, unsigned parity) {
    const quiet q;
    memory_barrier& b = memory_barrier_at(at);
    if (b.phase % 2 == parity % 2) {
      current_->at = "mbarrier.try_wait";
      b.waiting.push_back(current_);
      go_on();
      current_->at = "running";
    }
    current_->own.acquire(&b.ended);
  }
  /// The copy is done as late as possible, when no thread can go on without it; in reverse order of threads, at once.
  void copy_in_bulk(std::uint32_t barrier, std::int64_t bytes, std::function<void()> work) {
    const quiet q;
    memory_barrier_at(barrier);
    current_->own.release(&copies_begun_);
    bulk_.push_back({barrier, bytes, std::move(work), &copies_begun_});
    if (order == thread_order::reverse) deliver();
  }

  [[noreturn]] void die(const char* why) const {
    std::fprintf(stderr, "cuda_cpu: %s in block (%u, %u, %u)\n", why, index.x, index.y, index.z);
    const std::size_t count = std::size_t{threads.x} * threads.y * threads.z;
    for (std::size_t i = 0; i < count && i < 40; ++i)
      std::fprintf(stderr, "  thread (%u, %u, %u): %s\n", all_[i]->index.x, all_[i]->index.y, all_[i]->index.z,
                   all_[i]->at);
    std::abort();
  }

 private:
  static void enter();

  memory_barrier& memory_barrier_at(std::uint32_t at) {
    const auto found = barriers_.find(at);
    if (found == barriers_.end()) die("no barrier was made at this address");
    return found->second;
  }
  void end_phase(memory_barrier& b) {
    if (b.missing != 0 || b.bytes != 0) return;
    ++b.phase;
    b.missing = b.arrivals;
    std::vector<thread*> waiting = std::exchange(b.waiting, {});
    set_order(waiting);
    ready_.insert(ready_.end(), waiting.begin(), waiting.end());
  }
  /// Does the oldest bulk copy.
  void deliver() {
    const bulk_copy copy = std::move(bulk_.front());
    bulk_.erase(bulk_.begin());
    current_->own.acquire(copy.begun);
    {
      const heard h;
      copy.work();
    }
    memory_barrier& b = memory_barrier_at(copy.barrier);
    current_->own.release(&b.ended);
    b.bytes -= copy.bytes;
    end_phase(b);
  }

  /// The end of a thread; does not return.
  void finish() {
    fiber& own = current_->own;
    fiber* next = nullptr;
    {
      const quiet q;
      current_->at = "ended";
      warps_[current_->warp].ended |= 1u << current_->lane;
      own.release(&live_);
      --live_;
      if (live_ > 0 && arrived_.size() == live_) release(std::exchange(arrived_, {}));  // the ended count as arrived
      next = &next_fiber();
    }
    fiber::jump(own, *next);
  }

  void release(std::vector<thread*> met) {
    for (thread* t : met) current_->own.acquire(&t->arrives);
    set_order(met);
    for (thread* t : met) {
      current_->own.release(&t->leaves);
      t->at = "running";
      t->mask = 0;
      ready_.push_back(t);
    }
  }

  /// The next thread that can run becomes the current one; run() goes on after the last one.
  fiber& next_fiber() {
    while (next_ == ready_.size() && live_ != 0 && !bulk_.empty()) deliver();
    if (next_ == ready_.size()) {
      if (live_ != 0) die("deadlock: no thread can go on");
      running_main_ = true;
      return main_;
    }
    current_ = ready_[next_++];
    if (next_ == ready_.size()) ready_.clear(), next_ = 0;
    running_main_ = false;
    return current_->own;
  }
  void go_on() {
    fiber& from = running_main_ ? main_ : current_->own;
    fiber& to = next_fiber();
    if (&from != &to) fiber::jump(from, to);
  }

  void set_order(std::vector<thread*>& v) {
    if (order == thread_order::reverse) std::reverse(v.begin(), v.end());
    if (order != thread_order::random) return;
    for (std::size_t i = v.size(); i > 1; --i) {
      order_seed = order_seed * 6364136223846793005u + 1442695040888963407u;
      std::swap(v[i - 1], v[(order_seed >> 33) % i]);
    }
  }

  void fill_shared(std::size_t bytes) {
    constexpr std::size_t most = shared_most, page = 4096;
    if (shared_pages_ == nullptr) {
      shared_pages_ = static_cast<std::byte*>(
          mmap(nullptr, most + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      mprotect(shared_pages_ + most, page, PROT_NONE);
    }
    shared_ = shared_pages_ + most - (bytes + 127) / 128 * 128;
    std::memset(shared_, 0xff, (bytes + 127) / 128 * 128);
  }

  const std::function<void()>* body_ = nullptr;
  std::vector<thread*> all_{};
  std::vector<thread*> ready_{}, arrived_{};
  std::map<std::uint32_t, memory_barrier> barriers_{};
  std::vector<bulk_copy> bulk_{};
  char copies_begun_ = 0;
  std::vector<warp> warps_{};
  std::size_t next_ = 0;  // of ready_
  std::size_t live_ = 0;
  thread* current_ = nullptr;
  bool running_main_ = true;
  fiber main_{};
  std::byte *shared_pages_ = nullptr, *shared_ = nullptr;
};

/// The one block that runs.
inline block& running() {
  static block* const b = new block;  // never destroyed: its fibers are alive until the program ends
  return *b;
}

inline void block::enter() {
  block& b = running();
  fiber::arrived();
  b.main_.acquire(&b.body_);
  (*b.body_)();
  b.finish();
}

}  // namespace cuda_cpu
