// expect: assign: the target has shape 2, the result 2x2
// SPDX-License-Identifier: Apache-2.0
// A target that is smaller than what its operands broadcast to.
#include <tkl/elementwise.hpp>

int main() {
  tkl::tensor<float, tkl::row_major<2>> x;
  tkl::tensor<float, tkl::row_major<2, 2>> ones;
  tkl::assign(x, x + ones);
}
