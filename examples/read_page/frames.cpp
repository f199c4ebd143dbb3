// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

#include <algorithm>
#include <iterator>

#include "resize.hpp"

namespace read_page {
namespace {

framed place(const picture_view& picture, extent frame, extent used) {
  framed out;
  out.rgb.resize(3 * static_cast<std::size_t>(frame.height) * static_cast<std::size_t>(frame.width));
  out.frame = frame;
  out.used = used;
  resize(picture, out.rgb.data(), used, 3 * static_cast<std::ptrdiff_t>(frame.width));
  extend_edges(out.rgb.data(), used, frame);
  return out;
}

}  // namespace

int columns_of_line(extent line) {
  const std::int64_t columns = (std::int64_t{line_height} * line.width + line.height - 1) / line.height;
  return static_cast<int>(std::min<std::int64_t>(columns, 1 << 24));
}

framed frame_line(const picture_view& line) {
  const int columns = columns_of_line(line.size);
  for (int width : line_widths)
    if (columns <= width) return place(line, {line_height, width}, {line_height, columns});
  const extent widest{line_height, *std::max_element(std::begin(line_widths), std::end(line_widths))};
  const std::int64_t h = line.size.height, w = line.size.width;
  const std::int64_t rows = (2 * h * widest.width + w) / (2 * w);
  framed out = place(line, widest, {static_cast<int>(std::clamp<std::int64_t>(rows, 1, line_height)), widest.width});
  out.reduced = true;
  return out;
}

framed frame_direction(const picture_view& line) {
  const extent frame{line_height, classifier_width};
  return place(line, frame, {line_height, std::min(classifier_width, columns_of_line(line.size))});
}

framed frame_page(const picture_view& page) {
  const extent size = page.size;
  for (const extent& frame : page_sizes)
    if (size.height <= frame.height && size.width <= frame.width) return place(page, frame, size);
  const auto scale = [&](const extent& f) {
    return std::min(static_cast<double>(f.height) / size.height, static_cast<double>(f.width) / size.width);
  };
  const extent frame = *std::max_element(std::begin(page_sizes), std::end(page_sizes),
                                         [&](const extent& a, const extent& b) { return scale(a) < scale(b); });
  framed out = place(page, frame, scaled_size(size, frame));
  out.reduced = true;
  return out;
}

}  // namespace read_page
