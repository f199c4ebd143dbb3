// SPDX-License-Identifier: Apache-2.0
// Layers that every machine has to get right: one list for the algorithms of the CPU (tests/algo) and for the graphs
// that devices run (tests/work_items).
#pragma once

#include <cstdint>

namespace tkl::test {

/// A convolution of n x h x w x c to o channels.
struct conv_layer {
  std::int64_t n, h, w, c, o;
  std::int64_t kernel[2]{1, 1}, stride[2]{1, 1}, dilation[2]{1, 1}, pad[4]{};
  std::int64_t groups = 1;

  /// Outputs along rows (0) or columns (1); 0 where the kernel does not fit.
  constexpr std::int64_t out(int axis) const {
    const std::int64_t in = axis == 0 ? h : w;
    const std::int64_t reach = in + pad[axis] + pad[axis + 2] - dilation[axis] * (kernel[axis] - 1) - 1;
    return reach < 0 ? 0 : reach / stride[axis] + 1;
  }
};

inline constexpr conv_layer conv_layers[] = {
    {1, 5, 7, 3, 5},                                               // 1x1
    {2, 4, 9, 8, 16},                                              //
    {1, 1, 13, 33, 17},                                            // a matrix product
    {1, 9, 11, 6, 10, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},       // the usual
    {2, 9, 11, 7, 9, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},        //
    {1, 6, 17, 5, 24, {1, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}},       //
    {1, 12, 8, 4, 8, {3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}},        //
    {1, 12, 8, 4, 8, {3, 3}, {1, 2}, {2, 3}, {2, 3, 2, 3}},        // dilation
    {1, 10, 10, 3, 4, {5, 5}, {2, 2}, {1, 1}, {1, 1, 2, 2}},       // unequal padding
    {1, 10, 10, 12, 18, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 3},  // groups
    {1, 5, 5, 6, 6, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 6},      // depthwise through groups
    {1, 9, 9, 2, 3, {7, 7}, {2, 2}, {1, 1}, {3, 3, 3, 3}},         //
    {1, 3, 3, 2, 3, {15, 15}, {1, 1}, {1, 1}, {7, 7, 7, 7}},       // kernel larger than the input
    {1, 4, 4, 2, 3, {1, 1}, {3, 3}},                               // kernel < stride
    {1, 4, 4, 2, 3, {1, 1}, {1, 1}, {1, 1}, {2, 1, 0, 3}},         // padded 1x1
    {1, 2, 2, 70, 20, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},       // a tap longer than a strip
    {0, 4, 4, 2, 3},
    {1, 0, 4, 2, 3},
    {1, 4, 0, 2, 3},
    {1, 4, 4, 2, 0},  // nothing to compute
    {1, 3, 4, 0, 5},
    {1, 2, 2, 1, 3, {3, 3}},  // no input channels; no output
};

/// Convolutions that convert their input as they load it.
inline constexpr conv_layer staged_layers[] = {
    {1, 9, 10, 3, 8, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},    // a stem
    {2, 8, 13, 3, 17, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},   //
    {1, 15, 14, 3, 5, {7, 7}, {2, 2}, {1, 1}, {3, 3, 3, 3}},   //
    {1, 5, 41, 3, 16, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},   // rows of several vectors and a rest
    {1, 9, 9, 1, 4, {5, 5}, {2, 2}, {1, 1}, {1, 1, 2, 2}},     // one channel, unequal padding
    {1, 9, 12, 4, 6, {3, 3}, {1, 2}, {2, 3}, {2, 3, 2, 3}},    // dilation
    {1, 7, 7, 4, 6, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 2},  // groups
    {1, 6, 6, 2, 3, {1, 1}, {3, 3}},                           // kernel < stride
    {1, 3, 3, 2, 3, {3, 3}, {1, 1}, {1, 1}, {4, 5, 4, 5}},     // outputs that see padding only
    {1, 6, 7, 19, 5, {2, 3}},                                  // more channels than lanes
    {0, 4, 4, 2, 3, {3, 3}},
    {1, 2, 2, 3, 4, {3, 3}},
    {1, 4, 4, 3, 0, {3, 3}},
    {1, 4, 5, 0, 3, {3, 3}},
};

/// A transposed convolution.
struct transposed_layer {
  std::int64_t n, h, w, c, o;
  std::int64_t kernel[2]{3, 3}, stride[2]{1, 1}, dilation[2]{1, 1}, pad[4]{}, output_pad[2]{};
  std::int64_t groups = 1;

  constexpr std::int64_t out(int axis) const {
    const std::int64_t in = axis == 0 ? h : w;
    return (in - 1) * stride[axis] - pad[axis] - pad[axis + 2] + dilation[axis] * (kernel[axis] - 1) + 1 +
           output_pad[axis];
  }
};

inline constexpr transposed_layer transposed_layers[] = {
    {1, 4, 5, 24, 24, {2, 2}, {2, 2}},                                  // the doubling of detectors
    {1, 4, 5, 24, 1, {2, 2}, {2, 2}},                                   //
    {2, 3, 37, 5, 1, {2, 2}, {2, 2}, {1, 1}, {1, 0, 0, 1}, {1, 0}},     // blocks that are cut or lie beyond the input
    {1, 4, 5, 3, 1, {1, 3}, {1, 3}, {1, 1}, {0, 2, 0, 0}, {0, 2}},      //
    {1, 3, 2, 70, 1, {4, 2}, {4, 2}, {1, 1}, {5, 1, 2, 0}, {3, 1}},     //
    {1, 2, 3, 9, 1, {5, 4}, {5, 4}},                                    // a block larger than a vector
    {2, 3, 4, 5, 7, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}},      // output padding
    {1, 5, 4, 6, 9, {4, 4}, {2, 2}, {1, 1}, {1, 1, 1, 1}},              //
    {1, 3, 3, 4, 5, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},              //
    {1, 5, 6, 3, 4, {3, 5}, {2, 1}, {3, 1}, {2, 2, 4, 2}},              // stride and dilation
    {1, 3, 4, 3, 4, {3, 3}, {2, 2}, {2, 2}, {2, 2, 2, 2}},              // common factor: empty residues
    {1, 4, 3, 3, 4, {3, 2}, {3, 4}, {2, 3}, {1, 0, 2, 1}, {2, 3}},      //
    {1, 4, 4, 2, 3, {1, 1}, {3, 3}, {1, 1}, {0, 0, 0, 0}, {2, 1}},      // kernel < stride
    {1, 4, 5, 8, 12, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {0, 1}, 4},  // groups
    {1, 2, 2, 3, 3, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, {0, 0}, 3},   //
    {1, 2, 2, 70, 20, {3, 3}, {2, 2}},                                  // a tap longer than a strip
    {1, 19, 37, 3, 2, {3, 2}, {3, 2}, {1, 1}, {1, 0, 1, 0}, {2, 1}},    // many blocks, not as many for each residue
    {0, 3, 3, 2, 3},
    {1, 3, 3, 2, 0},
    {1, 3, 3, 0, 4},
};

/// Calls f with a layer for every kernel, stride, dilation and padding of a small range.
template <class F>
void for_transposed_layers(F f) {
  for (std::int64_t k = 1; k <= 4; ++k)
    for (std::int64_t s = 1; s <= 4; ++s)
      for (std::int64_t d = 1; d <= 3; ++d)
        for (std::int64_t p = 0; p <= d * (k - 1); ++p)
          for (std::int64_t q = 0; q < s; q += 2) {
            const transposed_layer l{1, 3, 4, 2, 3, {k, 2}, {s, 3}, {d, 2}, {p, 1, 0, 0}, {q, 0}};
            if (l.out(0) > 0) f(l);
          }
}

}  // namespace tkl::test
