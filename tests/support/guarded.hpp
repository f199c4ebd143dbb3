// SPDX-License-Identifier: Apache-2.0
// Buffers that end (or start) at a page that may not be touched: one element too far is a fault, not a lucky read.
//
// Under an emulator that accepts page protection but does not enforce it, the pages around the buffer hold a pattern
// instead, checked by intact() and by the destructor: writes are still caught, reads are not, and stderr says so once.
#pragma once

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <type_traits>

namespace tkl::test {

/// Which side of the buffer lies flush against the forbidden page.
enum class guard { end, start };

/// Whether this machine enforces PROT_NONE: the kernel refuses to write through a pointer into such a page.
inline bool page_protection_works() {
  static const bool works = [] {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* p = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    const bool enforced = mprotect(p, page, PROT_NONE) == 0 && getrandom(p, 1, 0) != 1;
    munmap(p, page);
    if (!enforced)
      std::fputs("guarded.hpp: this machine does not enforce page protection; only writes outside are caught\n",
                 stderr);
    return enforced;
  }();
  return works;
}

/// `count` elements of T, zero at first, between two guard pages. The chosen side is flush against its page as far as
/// `alignment` (a power of two, at least alignof(T); bytes) allows: ending at the page, the start moves down to a
/// multiple of it, and the bytes between the last element and the page hold the pattern.
template <class T>
class guarded {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit guarded(std::size_t count, guard side = guard::end, std::size_t alignment = alignof(T)) : count_(count) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count * sizeof(T);
    inner_ = (bytes + alignment + page_ - 1) / page_ * page_;
    total_ = inner_ + 2 * page_;
    void* base = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
      std::perror("guarded: mmap");
      std::abort();
    }
    base_ = static_cast<unsigned char*>(base);
    for (std::size_t i = 0; i < total_; ++i) base_[i] = pattern;
    begin_ = page_;
    if (side == guard::end) begin_ = (page_ + inner_ - bytes) / alignment * alignment;
    for (std::size_t i = 0; i < bytes; ++i) base_[begin_ + i] = 0;
    if (page_protection_works()) {
      mprotect(base_, page_, PROT_NONE);
      mprotect(base_ + page_ + inner_, page_, PROT_NONE);
      readable_begin_ = page_;
      readable_end_ = page_ + inner_;
    } else {
      readable_end_ = total_;
    }
    data_ = reinterpret_cast<T*>(base_ + begin_);
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() {
    if (!intact()) {
      std::fprintf(stderr, "guarded: bytes outside of the buffer were written\n");
      std::abort();
    }
    munmap(base_, total_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T* begin() { return data_; }
  T* end() { return data_ + count_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, count_}; }

  /// Whether the bytes around the buffer, as far as they may be touched, still hold the pattern.
  bool intact() const {
    for (std::size_t i = readable_begin_; i < begin_; ++i)
      if (base_[i] != pattern) return false;
    for (std::size_t i = begin_ + count_ * sizeof(T); i < readable_end_; ++i)
      if (base_[i] != pattern) return false;
    return true;
  }

 private:
  static constexpr unsigned char pattern = 0xa5;
  unsigned char* base_ = nullptr;
  T* data_ = nullptr;
  std::size_t count_, page_ = 0, inner_ = 0, total_ = 0, begin_ = 0, readable_begin_ = 0, readable_end_ = 0;
};

}  // namespace tkl::test
