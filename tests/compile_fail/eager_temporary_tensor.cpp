// expect: a temporary tensor is gone before the expression is evaluated: give the tensor a name
// SPDX-License-Identifier: Apache-2.0
// A temporary tensor as an operand: the expression would outlive its elements.
#include <tkl/elementwise.hpp>

auto f() {
  return tkl::relu(tkl::tensor<float, tkl::row_major<4>>());
}
