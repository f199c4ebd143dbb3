// SPDX-License-Identifier: Apache-2.0
// Aligned memory that owns itself: the arena of a workspace, the packed weights of a model.
#pragma once

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

/// Bytes at a 64-byte boundary, zeroed when asked for; released with the last owner.
class memory_block {
 public:
  memory_block() = default;
  TKL_COLD static result<memory_block> allocate(std::int64_t bytes, bool zeroed) {
    memory_block b;
    b.bytes_ = bytes;
    if (bytes == 0) return result<memory_block>(std::move(b));
    const auto rounded = static_cast<std::size_t>(round_up(checked(bytes), buffer_alignment).or_largest());
    b.data_.reset(static_cast<std::byte*>(std::aligned_alloc(static_cast<std::size_t>(buffer_alignment), rounded)));
    if (!b.data_) {
      message_text m;
      return status::failure(m << "no memory for " << bytes << " bytes");
    }
    if (zeroed) std::memset(b.data_.get(), 0, rounded);
    return result<memory_block>(std::move(b));
  }
  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<std::byte, free_deleter> data_{};
  std::int64_t bytes_ = 0;
};

}  // namespace tkl
