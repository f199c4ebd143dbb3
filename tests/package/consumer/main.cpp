// SPDX-License-Identifier: Apache-2.0
// The program of every consumer project.
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#if __has_include(<tkl/gemm.hpp>)
#  include <tkl/gemm.hpp>
#endif

#include <cstdio>

// A constant evaluation beyond the default limits of g++ (262,144 turns of a loop) and clang (1,048,576 steps): the
// target and the pkg-config file carry the flags that allow it.
constexpr long long many_steps() {
  long long sum = 0;
  for (int i = 0; i < 400000; ++i) sum += i ^ 5;
  return sum;
}
static_assert(many_steps() > 0);

int main() {
  const tkl::shape s{46341, 46341};
  std::printf("tkl %d.%d.%d %lld\n", TKL_VERSION_MAJOR, TKL_VERSION_MINOR, TKL_VERSION_PATCH,
              static_cast<long long>(s.elements().value));
  return s.elements().value == 2147488281 ? 0 : 1;
}
