// SPDX-License-Identifier: Apache-2.0
// Random windows that every machine has to get right: for the algorithms of the CPU (tests/algo) and for the graphs
// that devices run (tests/work_items).
#pragma once

#include <cstdint>
#include <vector>

namespace tkl::test {

/// Uniform numbers in [-1, 1), the same on every machine.
struct random_numbers {
  std::uint32_t state = 1;
  double operator()() {
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 8) / 8388608.0 - 1.0;
  }
  /// A whole number in [low, high].
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(((*this)() + 1.0) / 2.0 * static_cast<double>(high - low + 1));
  }
};

struct window {
  std::int64_t kernel[2]{1, 1};
  std::int64_t stride[2]{1, 1};
  std::int64_t dilation[2]{1, 1};
  std::int64_t pad[4]{};  // top, left, bottom, right

  /// Outputs along an axis by the floor rule; 0 when the window does not fit.
  constexpr std::int64_t outputs(int axis, std::int64_t extent) const {
    const std::int64_t room = extent + pad[axis] + pad[axis + 2] - ((kernel[axis] - 1) * dilation[axis] + 1);
    return room < 0 ? 0 : room / stride[axis] + 1;
  }
};

/// A depthwise convolution; `gap` elements lie between rows where the machine takes them apart.
struct depthwise_layer {
  std::int64_t n = 1, rows = 5, columns = 7, channels = 9, multiplier = 1, gap = 0;
  window win{};
};

/// Filters of any extents, dilated, padded on one side, with several outputs per channel; channels around `width`.
inline std::vector<depthwise_layer> random_depthwise_layers(int count, std::int64_t width) {
  std::vector<depthwise_layer> layers;
  random_numbers random{7};
  for (int i = 0; i < count; ++i) {
    depthwise_layer l{.n = random.whole(1, 2),
                      .rows = random.whole(1, 11),
                      .columns = random.whole(1, 29),
                      .channels = random.whole(1, 2 * width + 1),
                      .multiplier = random.whole(0, 3) ? 1 : random.whole(2, 3),
                      .gap = random.whole(0, 2)};
    for (int axis = 0; axis < 2; ++axis) {
      l.win.kernel[axis] = random.whole(1, 7);
      l.win.stride[axis] = random.whole(1, 3);
      l.win.dilation[axis] = random.whole(1, 3);
      l.win.pad[axis] = random.whole(0, l.win.kernel[axis]);
      l.win.pad[axis + 2] = random.whole(0, l.win.kernel[axis]);
    }
    layers.push_back(l);
  }
  return layers;
}

/// Pooling. Outputs of 0: the floor rule.
struct pool_layer {
  std::int64_t n = 1, rows = 5, columns = 7, channels = 9, gap = 0;
  window win{};
  std::int64_t out_rows = 0, out_columns = 0;
  bool include_pad = false;
};

/// Windows that fit, padded by less than their extent, some with one more output that hangs over; channels up to
/// `most`.
inline std::vector<pool_layer> random_pool_layers(int count, std::int64_t most) {
  std::vector<pool_layer> layers;
  random_numbers random{3};
  for (int i = 0; i < count; ++i) {
    pool_layer l{.n = random.whole(1, 2),
                 .rows = random.whole(1, 9),
                 .columns = random.whole(1, 11),
                 .channels = random.whole(1, most),
                 .gap = random.whole(0, 1)};
    bool fits = true;
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t extent = axis ? l.columns : l.rows;
      l.win.kernel[axis] = random.whole(1, 4);
      l.win.stride[axis] = random.whole(1, 3);
      l.win.pad[axis] = random.whole(0, l.win.kernel[axis] - 1);
      l.win.pad[axis + 2] = random.whole(0, l.win.kernel[axis] - 1);
      if (l.win.pad[axis] == 0 && l.win.pad[axis + 2] == 0) l.win.dilation[axis] = random.whole(1, 2);
      const std::int64_t outputs = l.win.outputs(axis, extent);
      if (outputs == 0) fits = false;
      // One more window, as ceil mode gives, where it begins inside the input or the padding before it.
      const bool more = l.win.dilation[axis] == 1 && outputs * l.win.stride[axis] < extent + l.win.pad[axis];
      (axis ? l.out_columns : l.out_rows) = outputs + (more && random.whole(0, 1) ? 1 : 0);
    }
    if (!fits) continue;
    l.include_pad = random.whole(0, 1) == 1;
    layers.push_back(l);
  }
  return layers;
}

}  // namespace tkl::test
