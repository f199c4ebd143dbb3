// expect: conv2d: axis 1 \(rows\): the kernel does not fit: it covers 3 \(kernel 3, dilation 1\), the padded input has 2 \(0 \+ 2 \+ 0\)
// SPDX-License-Identifier: Apache-2.0
// A kernel that does not fit the padded input.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 1, 1, 1>>& y, const tkl::tensor<float, tkl::nhwc<1, 2, 2, 1>>& x,
       const tkl::tensor<float, tkl::row_major<1, 1, 3, 3>>& w) {
  tkl::assign(y, tkl::conv2d(x, w));
}
