// SPDX-License-Identifier: Apache-2.0
#include "resize.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace read_page {
namespace {

constexpr std::int64_t one = 1 << 15;

/// The two source samples of an output sample, and the weight of the second.
struct tap {
  int first = 0;
  int second = 0;
  std::int64_t weight = 0;
};

std::vector<tap> taps(int from, int to) {
  std::vector<tap> all(static_cast<std::size_t>(to));
  const std::int64_t unit = 2 * std::int64_t{to};  // positions in units of 1 / unit of a source sample
  for (int i = 0; i < to; ++i) {
    const std::int64_t centre = (2 * std::int64_t{i} + 1) * from - to;
    const std::int64_t position = std::clamp<std::int64_t>(centre, 0, unit * (from - 1));
    const std::int64_t first = position / unit;
    all[static_cast<std::size_t>(i)] = {static_cast<int>(first),
                                        static_cast<int>(std::min<std::int64_t>(first + 1, from - 1)),
                                        (one * (position - first * unit) + to) / unit};
  }
  return all;
}

int divide_to_nearest(std::int64_t a, std::int64_t b) {
  return static_cast<int>((2 * a + b) / (2 * b));
}

}  // namespace

// for y in output rows: for x in output columns: for c in R, G, B: mean of 2x2 source pixels, weighted by distance
void resize(const picture_view& from, std::uint8_t* to, extent size, std::ptrdiff_t stride) {
  const std::vector<tap> columns = taps(from.size.width, size.width);
  const std::vector<tap> rows = taps(from.size.height, size.height);
  for (int y = 0; y < size.height; ++y) {
    const tap& v = rows[static_cast<std::size_t>(y)];
    const std::uint8_t* upper = from.row(v.first);
    const std::uint8_t* lower = from.row(v.second);
    std::uint8_t* out = to + y * stride;
    for (const tap& h : columns) {
      for (int c = 0; c < 3; ++c) {
        const auto across = [&](const std::uint8_t* row) {
          return row[3 * h.first + c] * (one - h.weight) + row[3 * h.second + c] * h.weight;
        };
        const std::int64_t sum = across(upper) * (one - v.weight) + across(lower) * v.weight;
        *out++ = static_cast<std::uint8_t>((sum + one * one / 2) / (one * one));
      }
    }
  }
}

extent scaled_size(extent picture, extent frame) {
  if (picture.height <= frame.height && picture.width <= frame.width) return picture;
  const std::int64_t h = picture.height, w = picture.width;
  if (h * frame.width >= w * frame.height) return {frame.height, std::max(1, divide_to_nearest(w * frame.height, h))};
  return {std::max(1, divide_to_nearest(h * frame.width, w)), frame.width};
}

void extend_edges(std::uint8_t* rgb, extent used, extent frame) {
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(frame.width);
  for (int y = 0; y < used.height; ++y) {
    std::uint8_t* row = rgb + static_cast<std::size_t>(y) * row_bytes;
    for (int x = used.width; x < frame.width; ++x) std::memcpy(row + 3 * x, row + 3 * (used.width - 1), 3);
  }
  const std::uint8_t* last = rgb + static_cast<std::size_t>(used.height - 1) * row_bytes;
  for (int y = used.height; y < frame.height; ++y)
    std::memcpy(rgb + static_cast<std::size_t>(y) * row_bytes, last, row_bytes);
}

}  // namespace read_page
