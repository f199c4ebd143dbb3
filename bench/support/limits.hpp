// SPDX-License-Identifier: Apache-2.0
// What the core can do at all, measured in the same rounds as the competitors: multiply-adds without memory, and
// reading and writing without arithmetic.
#pragma once

#include <cstdint>

#include "environment.hpp"

namespace bench {

/// Floating-point operations of one call of multiply_add_peak.
inline constexpr double peak_flops = 1000.0 * 4 * 12 * 2 * (widest ? 16 : 8);

/// A loop of independent multiply-adds on registers.
[[gnu::noinline]] inline void multiply_add_peak() {
  std::int64_t turns = 1000;
  if constexpr (widest) {
    asm volatile(
        "vzeroall\n .p2align 6\n 1:\n .rept 4\n .irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
        "vfmadd231ps %%zmm12, %%zmm13, %%zmm\\r\n .endr\n .endr\n dec %0\n jnz 1b\n vzeroupper\n"
        : "+r"(turns)
        :
        : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13");
  } else {
    asm volatile(
        "vzeroall\n .p2align 6\n 1:\n .rept 4\n .irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
        "vfmadd231ps %%ymm12, %%ymm13, %%ymm\\r\n .endr\n .endr\n dec %0\n jnz 1b\n vzeroupper\n"
        : "+r"(turns)
        :
        : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13");
  }
}

/// Reads `in` floats and writes `out` floats, side by side as an operation that streams would; in vectors of the level.
[[gnu::noinline]] inline void stream(const float* from, std::int64_t in, float* to, std::int64_t out) {
  typedef float vector[[ gnu::vector_size(widest ? 64 : 32), gnu::aligned(4), gnu::may_alias ]];
  constexpr std::int64_t step = 4 * (widest ? 16 : 8);
  vector sum[4]{};
  const auto read = [&](std::int64_t i) {
    const vector* p = reinterpret_cast<const vector*>(from + i);
    for (int v = 0; v < 4; ++v) sum[v] += p[v];
  };
  const auto write = [&](std::int64_t i) {
    vector* p = reinterpret_cast<vector*>(to + i);
    for (int v = 0; v < 4; ++v) p[v] = sum[v];
  };
  // Whole steps only: what is left of a row does not show in the time.
  const std::int64_t reads = in / step, writes = out / step, fewer = reads < writes ? reads : writes;
  const std::int64_t reads_each = fewer > 0 ? reads / fewer : 0, writes_each = fewer > 0 ? writes / fewer : 0;
  std::int64_t r = 0, w = 0;
  for (std::int64_t i = 0; i < fewer; ++i) {
    for (std::int64_t k = 0; k < reads_each; ++k) read(step * r++);
    for (std::int64_t k = 0; k < writes_each; ++k) write(step * w++);
  }
  while (r < reads) read(step * r++);
  while (w < writes) write(step * w++);
  asm volatile("" : : "r"(to), "x"(sum[0]), "x"(sum[1]), "x"(sum[2]), "x"(sum[3]) : "memory");
}

}  // namespace bench
