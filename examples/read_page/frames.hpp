// SPDX-License-Identifier: Apache-2.0
// The sizes for which the networks are compiled, and how a picture gets into the one that suits it.
#pragma once

#include <cstdint>
#include <vector>

#include "picture.hpp"

namespace read_page {

inline constexpr int line_height = 48;
inline constexpr int line_widths[] = {320, 480, 640, 960};
inline constexpr int classifier_width = 192;
inline constexpr extent page_sizes[] = {{192, 384}, {384, 768}, {640, 640}, {736, 1280}, {1280, 736}};

/// A picture as a network takes it: frame.height x frame.width x 3 bytes, the scaled picture at the upper left.
struct framed {
  std::vector<std::uint8_t> rgb{};
  extent frame{};
  extent used{};         // the part that shows the picture
  bool reduced = false;  // the picture fitted no frame and was made smaller than the frame asks for
};

/// Columns that a line takes at height 48: ceil(48 * width / height).
int columns_of_line(extent line);

/// The line in the narrowest frame that holds it; one that none holds is reduced into the widest, keeping its ratio.
framed frame_line(const picture_view& line);

/// The line for the direction classifier; one wider than its frame is squeezed, as the network was trained.
framed frame_direction(const picture_view& line);

/// The page in the smallest frame that holds it, unscaled; one that none holds is reduced into the frame in which it
/// stays largest.
framed frame_page(const picture_view& page);

}  // namespace read_page
