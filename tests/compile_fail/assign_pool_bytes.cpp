// expect: the input must be f32, f16 or bf16: assign it to such a tensor first
// SPDX-License-Identifier: Apache-2.0
// Pooling of bytes.
// Pooling computes in floating point; there is no quantised form that would have to know a zero point.
#include <tkl/pool.hpp>

int main() {
  tkl::tensor<std::int8_t, tkl::nhwc<1, 2, 2, 1>> x;
  tkl::tensor<std::int8_t, tkl::nhwc<1, 2, 2, 1>> y;
  tkl::assign(y, tkl::max_pool2d<tkl::max_pool2d_params{.kernel = 2, .stride = 2, .pad = 1}>(x));
}
