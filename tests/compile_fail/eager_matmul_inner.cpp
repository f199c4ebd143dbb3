// expect: matmul: inner extents differ: first operand 2x3 has 3, second operand 4x5 has 4
// SPDX-License-Identifier: Apache-2.0
// A product whose inner extents differ, outside of a graph.
#include <tkl/gemm.hpp>

int main() {
  tkl::tensor<float, tkl::row_major<2, 3>> a;
  tkl::tensor<float, tkl::row_major<4, 5>> b;
  tkl::tensor<float, tkl::row_major<2, 5>> c;
  tkl::assign(c, tkl::matmul(a, b));
}
