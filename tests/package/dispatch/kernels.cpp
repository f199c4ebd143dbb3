// SPDX-License-Identifier: Apache-2.0
// The compiled kernels in a program that knows nothing of instruction-set levels.
#include <cstdio>
#include <tkl/kernels.hpp>

int main() {
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[4] = {};
  const tkl::kernels::matrix<float> left(a, {2, 2}), right(b, {2, 2}), product(c, {2, 2});
  if (tkl::status s = tkl::kernels::gemm(left, right, product); !s) return std::puts(s.message()), 1;
  const tkl::kernels::vector<float> numbers(c, tkl::row_major<tkl::dyn>(4));
  if (tkl::status s = tkl::kernels::map<"relu">(numbers, numbers); !s) return std::puts(s.message()), 1;
  std::printf("%g %g %g %g\n", double{c[0]}, double{c[1]}, double{c[2]}, double{c[3]});
  return c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50 ? 0 : 1;
}
