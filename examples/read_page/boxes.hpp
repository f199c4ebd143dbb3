// SPDX-License-Identifier: Apache-2.0
// From the detector's probability map to boxes around lines of text.
#pragma once

#include <vector>

#include "picture.hpp"

namespace read_page {

struct text_box {
  read_page::box box{};
  double score = 0;  // mean probability of the component's own pixels
  int pixels = 0;
};

inline constexpr float text_above = 0.3F;  // probability of a pixel that belongs to text
inline constexpr int least_text_side = 3;  // pixels of the map
inline constexpr double least_score = 0.6;
inline constexpr double growth = 1.6;  // of area over circumference; the network was trained on shrunk regions

/// Boxes of the 8-connected components of probability > 0.3, axis-parallel. Dropped: a shorter side < 3, a score < 0.6.
/// Each is grown by 1.6 * w * h / (2 * (w + h)) on every side (Liao et al. 2020, there on polygons), scaled from the
/// `used` part of the map to the picture, rounded and clipped. In reading order.
std::vector<text_box> find_text(const float* probability, extent map, extent used, extent picture);

/// Orders boxes from top to bottom by their middle, and from left to right where the middles of a row's first box and
/// of another differ by less than half the lower of their heights.
void sort_in_reading_order(std::vector<text_box>& boxes);

}  // namespace read_page
