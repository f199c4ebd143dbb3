// SPDX-License-Identifier: Apache-2.0
// Aligned memory that owns itself: the arena of a workspace, the packed weights of a model.
//
// The first write to a page is a fault of the processor, and an arena has thousands of pages: a first run would spend
// its time there. Linux is therefore asked for pages of 2 MB as far as a block fills them; the rest, which would become
// resident for nothing, and systems that have no such pages stay as they are.
#pragma once

#if defined(__linux__)
#  include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

struct free_deleter {
  void operator()(std::byte* p) const { std::free(p); }
};

inline constexpr std::int64_t huge_page_bytes = std::int64_t{1} << 21;

/// A wish: that it is not granted is no error.
TKL_COLD inline void wish_for_huge_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::int64_t bytes) {
#if defined(__linux__)
  if (bytes > 0) ::madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
}

/// Bytes at a 64-byte boundary, zeroed when asked for; released with the last owner.
class memory_block {
 public:
  memory_block() = default;
  TKL_COLD static result<memory_block> allocate(std::int64_t bytes, bool zeroed) {
    memory_block b;
    b.bytes_ = bytes;
    if (bytes == 0) return result<memory_block>(std::move(b));
    const std::int64_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : buffer_alignment;
    const auto rounded = static_cast<std::size_t>(round_up(checked(bytes), alignment).or_largest());
    b.data_.reset(static_cast<std::byte*>(std::aligned_alloc(static_cast<std::size_t>(alignment), rounded)));
    if (!b.data_) {
      message_text m;
      return status::failure(m << "no memory for " << bytes << " bytes");
    }
    wish_for_huge_pages(b.data_.get(), bytes / huge_page_bytes * huge_page_bytes);
    if (zeroed)
      std::memset(b.data_.get(), 0, static_cast<std::size_t>(round_up(checked(bytes), buffer_alignment).or_largest()));
    return result<memory_block>(std::move(b));
  }
  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<std::byte, free_deleter> data_{};
  std::int64_t bytes_ = 0;
};

}  // namespace tkl
