// expect: the schedule's register tile does not fit this architecture: mr \* nr \+ nr \+ 1 vector registers
// SPDX-License-Identifier: Apache-2.0
// A schedule whose register tile needs more registers than the architecture has.
#include <tkl/gemm.hpp>

void f(tkl::tensor<float, tkl::row_major<64, 64>>& y, const tkl::tensor<float, tkl::row_major<64, 64>>& a) {
  tkl::assign<tkl::gemm_schedule{.mr = 8, .nr = 4}>(tkl::cpu<tkl::arch::base>{}, y, tkl::matmul(a, a));
}
