// SPDX-License-Identifier: Apache-2.0
// The distinct convolution layers of ResNet-50 (He et al. 2015) for pictures of 224 x 224; the 3x3 convolutions of a
// stage's first block have the stride, as in torchvision's.
#pragma once

namespace gpu_bench {

/// A square kernel with half of it as border; `extent`: rows and columns of the input.
struct layer {
  int extent, in, out, kernel, stride;
  constexpr int pad() const { return kernel / 2; }
  constexpr int result() const { return (extent + 2 * pad() - kernel) / stride + 1; }
};

inline constexpr layer resnet50_layers[] = {
    // the stem
    {224, 3, 64, 7, 2},
    // stage 1
    {56, 64, 64, 1, 1},
    {56, 64, 64, 3, 1},
    {56, 64, 256, 1, 1},
    {56, 256, 64, 1, 1},
    // stage 2, first block, then the others
    {56, 256, 128, 1, 1},
    {56, 128, 128, 3, 2},
    {56, 256, 512, 1, 2},
    {28, 128, 512, 1, 1},
    {28, 512, 128, 1, 1},
    {28, 128, 128, 3, 1},
    // stage 3, first block, then the others
    {28, 512, 256, 1, 1},
    {28, 256, 256, 3, 2},
    {28, 512, 1024, 1, 2},
    {14, 256, 1024, 1, 1},
    {14, 1024, 256, 1, 1},
    {14, 256, 256, 3, 1},
    // stage 4, first block, then the others
    {14, 1024, 512, 1, 1},
    {14, 512, 512, 3, 2},
    {14, 1024, 2048, 1, 2},
    {7, 512, 2048, 1, 1},
    {7, 2048, 512, 1, 1},
    {7, 512, 512, 3, 1},
};
inline constexpr int resnet50_layer_count = sizeof resnet50_layers / sizeof resnet50_layers[0];

}  // namespace gpu_bench
