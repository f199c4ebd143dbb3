// expect: the target of assign is constant
// errors: 9
// SPDX-License-Identifier: Apache-2.0
// A constant tensor as the target of assign.
#include <tkl/elementwise.hpp>

void f(const tkl::tensor<float, tkl::row_major<4>>& y, const tkl::tensor<float, tkl::row_major<4>>& x) {
  tkl::assign(y, x * 2);
}
