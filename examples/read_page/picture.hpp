// SPDX-License-Identifier: Apache-2.0
// Pictures as bytes, R, G, B per pixel, rows from top to bottom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/status.hpp>
#include <vector>

namespace read_page {

/// Rows and columns, pixels.
struct extent {
  int height = 0;
  int width = 0;
  bool operator==(const extent&) const = default;
};

/// Corners in pixels; x1 and y1 are the first column and row beyond.
struct box {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  bool operator==(const box&) const = default;
};

/// A picture, or a part of one, that somebody else owns.
struct picture_view {
  const std::uint8_t* rgb = nullptr;
  extent size{};
  std::ptrdiff_t stride = 0;  // bytes from one row to the next

  const std::uint8_t* row(int y) const { return rgb + y * stride; }
  /// The part inside `b`, which must lie inside the picture.
  picture_view crop(const box& b) const { return {row(b.y0) + 3 * b.x0, {b.y1 - b.y0, b.x1 - b.x0}, stride}; }
};

struct picture {
  std::vector<std::uint8_t> rgb{};
  extent size{};

  picture() = default;
  explicit picture(extent s)
      : rgb(3 * static_cast<std::size_t>(s.height) * static_cast<std::size_t>(s.width)), size(s) {}
  picture_view view() const { return {rgb.data(), size, 3 * static_cast<std::ptrdiff_t>(size.width)}; }
};

inline constexpr int least_side = 4;                  // pixels; smaller pictures hold no text
inline constexpr int largest_side = 32768;            // pixels
inline constexpr std::int64_t most_pixels = 1 << 26;  // 64 Mi: 192 MB of bytes

/// Decodes a PNG or JPEG file: grey, palette and 16 bits become 8-bit R, G, B; what is transparent shows white. Fails
/// on a file that is empty, of another kind, cut off, or whose picture is smaller or larger than the limits above.
/// `name` is for the message.
tkl::result<picture> decode_picture(const std::vector<std::uint8_t>& file, const char* name);

/// The picture turned by 180 degrees.
picture turned(const picture_view& from);

}  // namespace read_page
