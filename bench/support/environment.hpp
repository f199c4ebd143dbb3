// SPDX-License-Identifier: Apache-2.0
// Rivals read their environment when they are loaded, so a benchmark starts itself again under the one it needs: one
// thread everywhere, and instruction sets held to the program's own level.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <string_view>

namespace bench {

inline constexpr std::string_view level = TKL_LEVEL_NAME;
inline constexpr bool widest = level == "avx512";

/// Names by which rivals know the core whose kernels they shall run.
inline constexpr const char* openblas_core = widest ? "SkylakeX" : "Haswell";
inline constexpr const char* blis_core = widest ? "skx" : "zen3";

/// Returns under the right environment; otherwise the program runs again from its start.
inline void settle_environment(char** arguments) {
  constexpr const char* mark = "TKL_BENCH_SETTLED";
  if (getenv(mark) != nullptr) return;
  for (const char* threads : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(threads, "1", 1);
  unsetenv("OPENBLAS_L2_SIZE");
  setenv("OPENBLAS_CORETYPE", openblas_core, 1);
  setenv("BLIS_ARCH_TYPE", widest ? "0" : "6", 1);  // BLIS 0.9 knows cores by number
  if (widest) {
    unsetenv("ONEDNN_MAX_CPU_ISA");
    unsetenv("DNNL_MAX_CPU_ISA");
    unsetenv("LIBXSMM_TARGET");
  } else {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    setenv("LIBXSMM_TARGET", "hsw", 1);
  }
  setenv(mark, "1", 1);
  execv("/proc/self/exe", arguments);
  _exit(127);
}

}  // namespace bench
