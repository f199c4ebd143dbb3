// SPDX-License-Identifier: Apache-2.0
// Runs one kernel of OpenCL C, compiled for the host, for all items of a launch (support/opencl_native.hpp).
#include <math.h>

static unsigned long ids[3];
unsigned long get_global_id(unsigned d) __asm__("_Z13get_global_idj");
unsigned long get_global_id(unsigned d) {
  return ids[d];
}
#define ONE(name)                 \
  float host_##name##f(float a) { \
    return name##f(a);            \
  }
#define TWO(name)                          \
  float host_##name##f(float a, float b) { \
    return name##f(a, b);                  \
  }
float host_fmaf(float a, float b, float c) {
  return fmaf(a, b, c);
}
ONE(floor)
ONE(rint)
ONE(exp)
ONE(expm1)
ONE(log)
ONE(log1p)
ONE(tanh)
ONE(erf)
ONE(sqrt)
TWO(pow)

/// What the text of a kernel ends with: the kernel called with the numbers and addresses in `arguments`.
void entry(const unsigned long* arguments);

/// `backwards`: the last item first. Items of a launch may run in any order.
void run_all_items(const unsigned long* counts, const unsigned long* arguments, int backwards) {
  const unsigned long all = counts[0] * counts[1] * counts[2];
  for (unsigned long i = 0; i < all; ++i) {
    const unsigned long item = backwards ? all - 1 - i : i;
    ids[0] = item % counts[0];
    ids[1] = item / counts[0] % counts[1];
    ids[2] = item / counts[0] / counts[1];
    entry(arguments);
  }
}
