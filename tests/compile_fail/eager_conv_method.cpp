// expect: conv2d: method is winograd4, assign\(\) runs convolutions directly
// SPDX-License-Identifier: Apache-2.0
// A method of convolution that only graphs have: their weights are transformed when they are loaded.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& y, const tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& x,
       const tkl::tensor<float, tkl::row_major<64, 64, 3, 3>>& w) {
  tkl::assign(y, tkl::conv2d<tkl::conv2d_params{.pad = 1, .method = tkl::conv_method::winograd4}>(x, w));
}
