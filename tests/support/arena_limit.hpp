// SPDX-License-Identifier: Apache-2.0
// How large an arena may be: a tenth above the greatest sum of bytes that live at one step, and 128 bytes a buffer for
// alignment. Scratch of kernels is a buffer like any other, on both sides.
#pragma once

#include <cstdint>

namespace tkl_test {

constexpr std::int64_t arena_limit(std::int64_t lower_bound, int buffers) {
  return lower_bound + lower_bound / 10 + std::int64_t{128} * buffers;
}

}  // namespace tkl_test
