// SPDX-License-Identifier: Apache-2.0
// Decoding picture files, good and bad.
// tkl-test: libs=read_page
#include <doctest/doctest.h>

#include <cstdint>
#include <read_page/picture.hpp>
#include <string>
#include <vector>

using namespace read_page;

namespace {

using bytes = std::vector<std::uint8_t>;

void append(bytes& out, std::initializer_list<int> values) {
  for (int v : values) out.push_back(static_cast<std::uint8_t>(v));
}

void append_word(bytes& out, std::uint32_t v) {
  append(out, {static_cast<int>(v >> 24), static_cast<int>(v >> 16 & 255), static_cast<int>(v >> 8 & 255),
               static_cast<int>(v & 255)});
}

std::uint32_t crc(const std::uint8_t* data, std::size_t size) {
  std::uint32_t c = 0xffffffff;
  for (std::size_t i = 0; i < size; ++i) {
    c ^= data[i];
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xedb88320U ^ c >> 1 : c >> 1;
  }
  return ~c;
}

void append_chunk(bytes& out, const char* type, const bytes& content) {
  append_word(out, static_cast<std::uint32_t>(content.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type, type + 4);
  out.insert(out.end(), content.begin(), content.end());
  append_word(out, crc(out.data() + start, out.size() - start));
}

/// A PNG with stored (uncompressed) rows; `colour`: 0 grey, 2 RGB, 4 grey and alpha, 6 RGBA.
bytes png(std::uint32_t width, std::uint32_t height, int depth, int colour, const bytes& pixels) {
  bytes out;
  append(out, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
  bytes header;
  append_word(header, width);
  append_word(header, height);
  append(header, {depth, colour, 0, 0, 0});
  append_chunk(out, "IHDR", header);
  bytes raw;
  const std::size_t row = height == 0 ? 0 : pixels.size() / height;
  for (std::size_t y = 0; y < height && !pixels.empty(); ++y) {
    raw.push_back(0);
    raw.insert(raw.end(), pixels.begin() + static_cast<std::ptrdiff_t>(y * row),
               pixels.begin() + static_cast<std::ptrdiff_t>((y + 1) * row));
  }
  bytes data;
  const int size = static_cast<int>(raw.size());
  append(data, {0x78, 1, 1, size & 255, size >> 8, ~size & 255, ~size >> 8 & 255});
  data.insert(data.end(), raw.begin(), raw.end());
  std::uint32_t a = 1, b = 0;
  for (std::uint8_t v : raw) a = (a + v) % 65521, b = (b + a) % 65521;
  append_word(data, b << 16 | a);
  append_chunk(out, "IDAT", data);
  append_chunk(out, "IEND", {});
  return out;
}

std::string error_of(const bytes& file) {
  const auto p = decode_picture(file, "x.png");
  return p ? std::string("none") : std::string(p.error().message());
}

bool mentions(const std::string& text, const char* what) {
  CAPTURE(text);
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("grey, colour, alpha and 16 bits become 8-bit R, G, B") {
  const auto grey = decode_picture(png(4, 4, 8, 0, bytes(16, 77)), "grey");
  REQUIRE(grey);
  CHECK((*grey).size == extent{4, 4});
  CHECK((*grey).rgb == bytes(48, 77));

  bytes colour;
  for (int i = 0; i < 16; ++i) append(colour, {10, 20, 30});
  const auto rgb = decode_picture(png(4, 4, 8, 2, colour), "rgb");
  REQUIRE(rgb);
  CHECK((*rgb).rgb == colour);

  bytes clear;
  for (int i = 0; i < 16; ++i) append(clear, {0, 100, 255, i == 0 ? 0 : i == 1 ? 128 : 255});
  const auto alpha = decode_picture(png(4, 4, 8, 6, clear), "alpha");
  REQUIRE(alpha);
  CHECK(bytes((*alpha).rgb.begin(), (*alpha).rgb.begin() + 9) == bytes{255, 255, 255, 127, 177, 255, 0, 100, 255});

  bytes deep;
  for (int i = 0; i < 16; ++i) append(deep, {200, 99});
  const auto sixteen = decode_picture(png(4, 4, 16, 0, deep), "deep");
  REQUIRE(sixteen);
  CHECK((*sixteen).rgb == bytes(48, 200));
}

TEST_CASE("what is no picture says so") {
  CHECK(mentions(error_of({}), "'x.png': the file is empty"));
  CHECK(mentions(error_of({'h', 'e', 'l', 'l', 'o'}), "neither a PNG nor a JPEG"));
  CHECK(mentions(error_of({0x89, 'P'}), "neither a PNG nor a JPEG"));
  CHECK(mentions(error_of({'G', 'I', 'F', '8', '9', 'a'}), "neither a PNG nor a JPEG"));
}

TEST_CASE("sizes beyond the limits name both numbers") {
  CHECK(mentions(error_of(png(1, 1, 8, 0, {0})), "1x1 pixels, at least 4x4"));
  CHECK(mentions(error_of(png(5, 3, 8, 0, bytes(15))), "5x3 pixels, at least 4x4"));
  CHECK(mentions(error_of(png(40000, 8, 8, 0, {})), "40000x8 pixels, at most 32768"));
  CHECK(mentions(error_of(png(30000, 30000, 8, 0, {})), "900000000 pixels, at most 67108864"));
  CHECK(mentions(error_of(png(0, 7, 8, 0, {})), "header cannot be read"));
  CHECK(mentions(error_of(png(0x7fffffff, 0x7fffffff, 8, 2, {})), "header cannot be read"));
}

TEST_CASE("a PNG cut off anywhere fails") {
  const bytes whole = png(9, 5, 8, 2, bytes(9 * 5 * 3, 3));
  REQUIRE(error_of(whole) == "none");
  for (std::size_t n = 0; n + 12 < whole.size(); ++n) {
    CAPTURE(n);
    CHECK(error_of(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))) != "none");
  }
}

TEST_CASE("a JPEG without its end marker fails before it is decoded") {
  // Start, a quantisation table cut short, an application segment that holds an end marker of its own.
  bytes file;
  append(file, {0xff, 0xd8, 0xff, 0xe1, 0,    6, 0xff, 0xd9, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 16,   0, 16, 1,
                1,    0x11, 0,    0xff, 0xda, 0, 8,    1,    1, 0, 0,    63,   0, 1,  2, 3, 0xff, 0, 4});
  CHECK(mentions(error_of(file), "no end-of-image marker"));
}
