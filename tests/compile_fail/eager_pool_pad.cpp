// expect: average_pool2d: axis 1 \(rows\): pad 3 must be below the kernel, which covers 3: a window
// SPDX-License-Identifier: Apache-2.0
// Pooling with a padding as large as the kernel, outside of a graph.
#include <tkl/pool.hpp>

int main() {
  tkl::tensor<float, tkl::nhwc<1, 1, 1, 1>> x;
  tkl::tensor<float, tkl::nhwc<1, 2, 2, 1>> y;
  tkl::assign(y, tkl::average_pool2d<tkl::average_pool2d_params{.kernel = 3, .stride = 3, .pad = 3}>(x));
}
