// expect: conv2d: the weight is packed in panels of 12 columns in vectors of 4, this schedule and architecture read panels of 8 in vectors of 4
// SPDX-License-Identifier: Apache-2.0
// Weights that were packed for another schedule.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 7, 7, 16>>& y, const tkl::tensor<float, tkl::nhwc<1, 7, 7, 16>>& x,
       const tkl::tensor<float, tkl::row_major<16, 16, 1, 1>>& raw) {
  const auto w = tkl::pack_conv2d<tkl::conv2d_params{}, tkl::arch::base, tkl::conv_schedule{.mr = 4, .nr = 3}>(raw);
  tkl::assign(tkl::cpu<tkl::arch::base>{}, y, tkl::conv2d(x, *w));
}
