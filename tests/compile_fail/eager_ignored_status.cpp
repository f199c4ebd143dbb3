// expect: nodiscard
// SPDX-License-Identifier: Apache-2.0
// A status that nobody looks at (with warnings as errors).
#pragma GCC diagnostic error "-Wunused-result"
#include <tkl/elementwise.hpp>

void f(tkl::tensor<float, tkl::row_major<tkl::dyn>>& y, const tkl::tensor<float, tkl::row_major<tkl::dyn>>& x) {
  tkl::assign(y, x * 2);
}
