// expect: conv2d: the target has shape 1x28x28x128, the result 1x56x56x128
// SPDX-License-Identifier: Apache-2.0
// A target of other extents than the result of the expression.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 28, 28, 128>>& y, const tkl::tensor<float, tkl::nhwc<1, 56, 56, 64>>& x,
       const tkl::tensor<float, tkl::row_major<128, 64, 3, 3>>& raw) {
  const auto w = tkl::pack_conv2d(raw);
  tkl::assign(y, tkl::conv2d<tkl::conv2d_params{.pad = 1}>(x, *w));
}
