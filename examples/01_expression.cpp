// SPDX-License-Identifier: Apache-2.0
// An expression: a convolution with bias, residual and activation, evaluated in one kernel.
#include <cstdio>
#include <tkl/conv.hpp>

int main() {
  tkl::tensor<float, tkl::nhwc<1, 6, 6, 8>> x, residual, y;  // zero at first, 64-byte aligned, on the heap
  tkl::tensor<float, tkl::row_major<8, 8, 3, 3>> weights;    // as frameworks write them: out, in, rows, columns
  tkl::tensor<float, tkl::row_major<8>> bias;
  int i = 0;
  for (float& v : x) v = static_cast<float>(i++ % 5) - 2;
  for (float& v : weights) v = static_cast<float>(i++ % 7) - 3;
  for (float& v : residual) v = 10;
  for (float& v : bias) v = static_cast<float>(i++ % 4);

  // Weights are put into the order in which kernels read them, once.
  const auto w = tkl::pack_conv2d(weights);
  if (!w) return std::puts(w.error().message()), 1;

  // Nothing is computed here: e holds pointers to its operands.
  const auto e = tkl::relu(tkl::conv2d<tkl::conv2d_params{.pad = 1}>(x, *w) + tkl::channel(bias)) + residual;
  tkl::assign(y, e);  // one kernel; extents and parameters were checked by the compiler
  std::printf("y(0, 2, 3, c):");
  for (int c = 0; c < 8; ++c) std::printf(" %g", static_cast<double>(y(0, 2, 3, c)));
  std::printf("\n");

  // Extents that are known at run time only: the same functions, and a status instead of a compile error.
  using image = tkl::tensor<float, tkl::nhwc<tkl::dyn, tkl::dyn, tkl::dyn, 8>>;
  const auto small = image::allocate({1, 3, 3, 8});
  if (!small) return std::puts(small.error().message()), 1;
  image half({1, 3, 3, 8});
  if (tkl::status s = tkl::assign(half, tkl::conv2d(x, *w, {.stride = 2, .pad = 1}) + *small); !s)
    return std::puts(s.message()), 1;
  std::printf("half(0, 1, 1, c):");
  for (int c = 0; c < 8; ++c) std::printf(" %g", static_cast<double>(half(0, 1, 1, c)));
  std::printf("\n");

  const tkl::status wrong = tkl::assign(half, tkl::conv2d(x, *w, {.pad = 1}));
  std::printf("%s\n", wrong.message());
}
