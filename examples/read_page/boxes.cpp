// SPDX-License-Identifier: Apache-2.0
#include "boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace read_page {
namespace {

struct component {
  box bounds{};
  double sum = 0;
  int pixels = 0;
};

/// Collects the component of pixel `start` and clears its pixels in `open`.
component take_component(const float* probability, extent map, std::vector<std::uint8_t>& open,
                         std::vector<std::int64_t>& stack, std::int64_t start) {
  component c;
  c.bounds = {map.width, map.height, 0, 0};
  open[static_cast<std::size_t>(start)] = 0;
  stack.assign(1, start);
  while (!stack.empty()) {
    const std::int64_t at = stack.back();
    stack.pop_back();
    const int y = static_cast<int>(at / map.width), x = static_cast<int>(at % map.width);
    c.bounds = {std::min(c.bounds.x0, x), std::min(c.bounds.y0, y), std::max(c.bounds.x1, x + 1),
                std::max(c.bounds.y1, y + 1)};
    c.sum += static_cast<double>(probability[at]);
    ++c.pixels;
    for (int j = std::max(0, y - 1); j < std::min(map.height, y + 2); ++j) {
      for (int i = std::max(0, x - 1); i < std::min(map.width, x + 2); ++i) {
        const std::int64_t next = std::int64_t{j} * map.width + i;
        if (!open[static_cast<std::size_t>(next)]) continue;
        open[static_cast<std::size_t>(next)] = 0;
        stack.push_back(next);
      }
    }
  }
  return c;
}

/// Halves go up.
int rounded_within(double value, int limit) {
  return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, static_cast<double>(limit)));
}

/// The component's box grown and scaled to the picture.
box in_picture(const box& b, extent used, extent picture) {
  const double w = b.x1 - b.x0, h = b.y1 - b.y0;
  const double by = growth * w * h / (2 * (w + h));
  const double sx = static_cast<double>(picture.width) / used.width;
  const double sy = static_cast<double>(picture.height) / used.height;
  return {rounded_within((b.x0 - by) * sx, picture.width), rounded_within((b.y0 - by) * sy, picture.height),
          rounded_within((b.x1 + by) * sx, picture.width), rounded_within((b.y1 + by) * sy, picture.height)};
}

}  // namespace

std::vector<text_box> find_text(const float* probability, extent map, extent used, extent picture) {
  const std::int64_t count = std::int64_t{map.height} * map.width;
  std::vector<std::uint8_t> open(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) open[static_cast<std::size_t>(i)] = probability[i] > text_above;
  std::vector<std::int64_t> stack;
  std::vector<text_box> found;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!open[static_cast<std::size_t>(i)]) continue;
    const component c = take_component(probability, map, open, stack, i);
    const double score = c.sum / c.pixels;
    const int side = std::min(c.bounds.x1 - c.bounds.x0, c.bounds.y1 - c.bounds.y0);
    if (side < least_text_side || score < least_score) continue;
    const box b = in_picture(c.bounds, used, picture);
    if (b.x0 < b.x1 && b.y0 < b.y1) found.push_back({b, score, c.pixels});
  }
  sort_in_reading_order(found);
  return found;
}

void sort_in_reading_order(std::vector<text_box>& boxes) {
  const auto twice_middle = [](const text_box& t) { return t.box.y0 + t.box.y1; };
  const auto height = [](const text_box& t) { return t.box.y1 - t.box.y0; };
  // Total orders, so that the result does not depend on the order of arrival.
  const auto higher = [&](const text_box& a, const text_box& b) {
    return std::tuple(twice_middle(a), a.box.x0, a.box.y0, a.box.x1) <
           std::tuple(twice_middle(b), b.box.x0, b.box.y0, b.box.x1);
  };
  const auto further_left = [&](const text_box& a, const text_box& b) {
    return std::tuple(a.box.x0, twice_middle(a), a.box.y0, a.box.x1) <
           std::tuple(b.box.x0, twice_middle(b), b.box.y0, b.box.x1);
  };
  std::sort(boxes.begin(), boxes.end(), higher);
  for (auto row = boxes.begin(); row != boxes.end();) {
    const text_box first = *row;
    const auto beyond = std::find_if(row + 1, boxes.end(), [&](const text_box& t) {
      return twice_middle(t) - twice_middle(first) >= std::min(height(t), height(first));
    });
    std::sort(row, beyond, further_left);
    row = beyond;
  }
}

}  // namespace read_page
