// SPDX-License-Identifier: Apache-2.0
// The peak of the core's multiply-adds, for compare.py: one call, and its floating-point operations.
#include "support/limits.hpp"

extern "C" {

[[gnu::visibility("default")]] void tkl_bench_peak() {
  for (int i = 0; i < 20; ++i) bench::multiply_add_peak();
}
[[gnu::visibility("default")]] double tkl_bench_peak_flops() {
  return 20 * bench::peak_flops;
}
}
