// expect: assign: the kernel needs [0-9]+ bytes of scratch memory, the stack gives 65536
// SPDX-License-Identifier: Apache-2.0
// Raw weights that are too large to be packed on the stack.
// Pack them once (pack_conv2d, pack_linear), or give the target scratch memory: scratch_bytes(y, e) says how much.
#include <tkl/conv.hpp>

void f(tkl::tensor<float, tkl::nhwc<1, 7, 7, 256>>& y, const tkl::tensor<float, tkl::nhwc<1, 7, 7, 256>>& x,
       const tkl::tensor<float, tkl::row_major<256, 256, 1, 1>>& w) {
  tkl::assign(y, tkl::conv2d(x, w));
}
