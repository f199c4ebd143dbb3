// expect: wrong number of arguments for this element-wise function
// SPDX-License-Identifier: Apache-2.0
// An element-wise function with too few operands.
#include <tkl/graph.hpp>

constexpr tkl::value gate(tkl::value x) {
  return tkl::hard_sigmoid(x);
}
