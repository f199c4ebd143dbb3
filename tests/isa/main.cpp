// SPDX-License-Identifier: Apache-2.0
// Two levels in one program, linked in an order that the build chooses: both compute the same.
#include <cmath>
#include <cstdio>

extern "C" int unit_base(const float*, const float*, float*);
extern "C" int TKL_ISA_OTHER(const float*, const float*, float*);

int main() {
  alignas(64) static float a[7 * 33], b[33 * 50], low[7 * 50], high[7 * 50];
  unsigned seed = 1;
  const auto next = [&] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(seed >> 8) * 0x1p-23f - 1.0f;
  };
  for (float& x : a) x = next();
  for (float& x : b) x = next();
  if (unit_base(a, b, low) != 0 || TKL_ISA_OTHER(a, b, high) != 0) {
    std::puts("a model did not run");
    return 1;
  }
  for (int i = 0; i < 7 * 50; ++i)
    if (!(std::abs(low[i] - high[i]) <= 1e-5f) || !(low[i] > 0.0f)) {
      std::printf("output %d: base %g, other level %g\n", i, static_cast<double>(low[i]), static_cast<double>(high[i]));
      return 1;
    }
  return 0;
}
