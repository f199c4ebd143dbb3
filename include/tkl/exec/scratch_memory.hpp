// SPDX-License-Identifier: Apache-2.0
// The memory that a caller lends to a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/tensor.hpp>

namespace tkl {

/// Memory that a kernel may use while it runs: the caller's, at a 64-byte boundary; a tensor of bytes is one.
struct scratch_memory {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;

  constexpr scratch_memory() = default;
  constexpr scratch_memory(std::byte* memory, std::int64_t size) : data(memory), bytes(size) {}
  template <class L>
  scratch_memory(tensor<std::uint8_t, L>& t)  // NOLINT(google-explicit-constructor): bytes are what scratch memory is
      : data(reinterpret_cast<std::byte*>(t.data())), bytes(t.data() == nullptr ? 0 : t.size()) {}
};

}  // namespace tkl
