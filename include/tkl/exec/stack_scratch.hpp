// SPDX-License-Identifier: Apache-2.0
// The scratch memory of small calls: a buffer on the stack of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>

namespace tkl {

/// What assign() takes from the stack at most when the target brings no scratch memory. Kernels themselves use up to 32
/// KiB of stack besides.
inline constexpr std::int64_t stack_scratch_bytes = 64 * 1024;

TKL_ISA_BEGIN
namespace impl {

/// Calls f(memory) with `Bytes` bytes at a 64-byte boundary on the stack.
template <std::int64_t Bytes, class F>
TKL_NOINLINE void with_stack_scratch(const F& f) {
  if constexpr (Bytes == 0) {
    f(static_cast<std::byte*>(nullptr));
  } else {
    alignas(64) std::byte memory[Bytes];
    f(static_cast<std::byte*>(memory));
  }
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
