// expect: this operation is cut by another kind of schedule
// SPDX-License-Identifier: Apache-2.0
// A schedule of another operation.
#include <tkl/gemm.hpp>

void f(tkl::tensor<float, tkl::row_major<64, 64>>& y, const tkl::tensor<float, tkl::row_major<64, 64>>& a) {
  tkl::assign<tkl::conv_schedule{.mr = 4, .nr = 2}>(tkl::cpu<>{}, y, tkl::matmul(a, a));
}
