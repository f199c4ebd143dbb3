// expect: conv2d: chain is always, assign\(\) runs one convolution
// SPDX-License-Identifier: Apache-2.0
// A chain where only one convolution runs.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& y, const tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& x,
       const tkl::tensor<float, tkl::row_major<64, 64, 3, 3>>& w) {
  tkl::assign(y, tkl::conv2d<tkl::conv2d_params{.pad = 1, .chain = tkl::conv_chaining::always}>(x, w));
}
