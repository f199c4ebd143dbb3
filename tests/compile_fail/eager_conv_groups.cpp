// expect: conv2d: input has 6 channels, not a multiple of groups 4
// SPDX-License-Identifier: Apache-2.0
// Groups that do not divide the channels, outside of a graph.
#include <tkl/conv.hpp>

int main() {
  tkl::tensor<float, tkl::nhwc<1, 8, 8, 6>> x;
  tkl::tensor<float, tkl::row_major<8, 1, 1, 1>> w;
  tkl::tensor<float, tkl::nhwc<1, 8, 8, 8>> y;
  tkl::assign(y, tkl::conv2d<tkl::conv2d_params{.groups = 4}>(x, w));
}
