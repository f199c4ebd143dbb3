// SPDX-License-Identifier: Apache-2.0
// Runs one kernel of OpenCL C, compiled for the host, for all items of a launch (support/opencl_native.hpp).
#include <math.h>

static unsigned long ids[3];
unsigned long get_global_id(unsigned d) __asm__("_Z13get_global_idj");
unsigned long get_global_id(unsigned d) {
  return ids[d];
}
float host_fmaf(float a, float b, float c) {
  return fmaf(a, b, c);
}
float host_floorf(float a) {
  return floorf(a);
}
float host_expf(float a) {
  return expf(a);
}
float host_rintf(float a) {
  return rintf(a);
}

/// What the text of a kernel ends with: the kernel called with the numbers and addresses in `arguments`.
void entry(const unsigned long* arguments);

void run_all_items(const unsigned long* counts, const unsigned long* arguments) {
  for (ids[2] = 0; ids[2] < counts[2]; ++ids[2])
    for (ids[1] = 0; ids[1] < counts[1]; ++ids[1])
      for (ids[0] = 0; ids[0] < counts[0]; ++ids[0]) entry(arguments);
}
