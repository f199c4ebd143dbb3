// expect: conv2d: axis 1 \(rows\): the kernel does not fit: it covers 3 \(kernel 3, dilation 1\), the padded
// expect: padded input has 2 \(0 \+ 2 \+ 0\)
// SPDX-License-Identifier: Apache-2.0
// A kernel larger than its padded input, outside of a graph.
// Extents and parameters that are part of the types are checked when the program is compiled.
#include <tkl/conv.hpp>

int main() {
  tkl::tensor<float, tkl::nhwc<1, 2, 2, 1>> x;
  tkl::tensor<float, tkl::row_major<1, 1, 3, 3>> w;
  tkl::tensor<float, tkl::nhwc<1, 1, 1, 1>> y;
  tkl::assign(y, tkl::conv2d(x, w));
}
