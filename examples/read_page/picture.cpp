// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <stb/stb_image.h>

#include <algorithm>
#include <memory>

#include "jpeg_end.hpp"

namespace read_page {
namespace {

bool is_png(const std::vector<std::uint8_t>& file) {
  const std::uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  return file.size() >= sizeof magic && std::equal(std::begin(magic), std::end(magic), file.begin());
}

bool is_jpeg(const std::vector<std::uint8_t>& file) {
  return file.size() >= 3 && file[0] == 0xff && file[1] == 0xd8 && file[2] == 0xff;
}

tkl::message_text about(const char* name) {
  tkl::message_text m;
  m << "picture '" << name << "': ";
  return m;
}

std::uint8_t over_white(int colour, int alpha) {
  return static_cast<std::uint8_t>((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

}  // namespace

tkl::result<picture> decode_picture(const std::vector<std::uint8_t>& file, const char* name) {
  if (file.empty()) return tkl::status::failure(about(name) << "the file is empty");
  if (!is_png(file) && !is_jpeg(file))
    return tkl::status::failure(about(name) << "the file is neither a PNG nor a JPEG picture");
  const std::size_t largest_file = std::size_t{1} << 30;
  if (file.size() > largest_file)
    return tkl::status::failure(about(name)
                                << "the file has " << file.size() << " bytes, at most " << largest_file << " are read");

  const int bytes = static_cast<int>(file.size());
  extent size;
  int channels = 0;
  if (!stbi_info_from_memory(file.data(), bytes, &size.width, &size.height, &channels))
    return tkl::status::failure(about(name) << "the header cannot be read (" << stbi_failure_reason()
                                            << "); the file is damaged or cut off");
  if (std::min(size.width, size.height) < least_side)
    return tkl::status::failure(about(name) << size.width << "x" << size.height << " pixels, at least " << least_side
                                            << "x" << least_side << " are needed");
  if (std::max(size.width, size.height) > largest_side)
    return tkl::status::failure(about(name) << size.width << "x" << size.height << " pixels, at most " << largest_side
                                            << " a side are read");
  const std::int64_t pixels = std::int64_t{size.width} * size.height;
  if (pixels > most_pixels)
    return tkl::status::failure(about(name) << size.width << "x" << size.height << " are " << pixels
                                            << " pixels, at most " << most_pixels << " are read");
  // The decoder fills the missing part of a JPEG with grey and says nothing.
  if (is_jpeg(file) && !jpeg_has_end(file))
    return tkl::status::failure(about(name) << "the file is cut off: it has no end-of-image marker");

  const std::unique_ptr<stbi_uc, void (*)(void*)> rgba(
      stbi_load_from_memory(file.data(), bytes, &size.width, &size.height, &channels, 4), stbi_image_free);
  if (!rgba)
    return tkl::status::failure(about(name) << "cannot be decoded (" << stbi_failure_reason()
                                            << "); the file is damaged or cut off");
  picture out(size);
  for (std::size_t i = 0; i < out.rgb.size() / 3; ++i) {
    const stbi_uc* from = rgba.get() + 4 * i;
    for (std::size_t c = 0; c < 3; ++c) out.rgb[3 * i + c] = over_white(from[c], from[3]);
  }
  return out;
}

picture turned(const picture_view& from) {
  picture out(from.size);
  std::uint8_t* to = out.rgb.data();
  for (int y = from.size.height - 1; y >= 0; --y)
    for (int x = from.size.width - 1; x >= 0; --x, to += 3) std::copy_n(from.row(y) + 3 * x, 3, to);
  return out;
}

}  // namespace read_page
