// expect: conv2d: input has 64 channels, weight expects 32
// SPDX-License-Identifier: Apache-2.0
// A convolution of tensors whose weight expects other channels than the input has.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 56, 56, 128>>& y, const tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& x,
       const tkl::tensor<float, tkl::row_major<128, 32, 1, 1>>& w) {
  tkl::assign(y, tkl::conv2d(x, w));
}
