// expect: operand 1 of the element-wise part has shape 2x8, does not broadcast to 4x8, the result of softmax
// SPDX-License-Identifier: Apache-2.0
// A residual whose extents do not broadcast to the result of the operation.
#include <tkl/softmax.hpp>

void f(tkl::tensor<float, tkl::row_major<4, 8>>& y, const tkl::tensor<float, tkl::row_major<4, 8>>& x,
       const tkl::tensor<float, tkl::row_major<2, 8>>& residual) {
  tkl::assign(y, tkl::softmax(x) + residual);
}
