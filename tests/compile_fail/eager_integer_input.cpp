// expect: the input must be f32, f16 or bf16: assign it to such a tensor first
// errors: 15
// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers that was not asked for by a conversion.
#include <tkl/softmax.hpp>

void f(tkl::tensor<float, tkl::row_major<4, 8>>& y, const tkl::tensor<std::uint8_t, tkl::row_major<4, 8>>& x) {
  tkl::assign(y, tkl::softmax(x));
}
