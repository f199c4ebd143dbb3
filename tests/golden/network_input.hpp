// SPDX-License-Identifier: Apache-2.0
// What a network gets from a golden file: its picture and the columns in use, or a float tensor.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <tkl/graph/plan.hpp>
#include <vector>

#include "golden_file.hpp"

namespace tkl::test {

/// The buffers of one run, made from the kinds of golden files there are: `picture` and `width` as our networks take
/// them; `image_u8` (rows x columns x B, G, R, without the padding); or only the normalised tensor `input`.
class network_input {
 public:
  /// `frame`: the edge of the network's picture, 1 x rows x columns x 3.
  network_input(const golden_file& golden, const edge& frame) {
    const std::int64_t rows = frame.extent[1], columns = frame.extent[2];
    if (frame.type == element::f32) {
      tensor_ = golden["input"].as<float>();
    } else if (golden.has("picture")) {
      const golden_tensor& t = golden["picture"];
      picture_.assign(t.as<std::uint8_t>(), t.as<std::uint8_t>() + t.elements());
      width_ = golden.has("width") ? golden["width"].as<std::int32_t>()[0] : static_cast<std::int32_t>(columns);
    } else {
      picture_.assign(static_cast<std::size_t>(rows * columns * 3), 0);
      const golden_tensor& t = golden[golden.has("image_u8") ? "image_u8" : "input"];
      const bool bytes = t.type == "U8";
      width_ = bytes ? static_cast<std::int32_t>(t.extents[1]) : std::stoi(golden.metadata.at("resized_width"));
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < width_; ++x)
          for (std::int64_t c = 0; c < 3; ++c) {
            const std::int64_t from = 2 - c;  // B, G, R
            picture_[static_cast<std::size_t>((y * columns + x) * 3 + c)] =
                bytes ? t.as<std::uint8_t>()[(y * width_ + x) * 3 + from]
                      : byte_of(t.as<float>()[(from * rows + y) * columns + x]);
          }
    }
  }

  /// The buffer for one of the network's inputs.
  const void* buffer(const edge& e) const {
    if (e.type == element::f32) return tensor_;
    if (e.type == element::i32) return &width_;
    return picture_.data();
  }
  const std::vector<std::uint8_t>& picture() const { return picture_; }
  std::int32_t width() const { return width_; }

 private:
  static std::uint8_t byte_of(float normalised) {
    return static_cast<std::uint8_t>(std::lround((normalised * 0.5F + 0.5F) * 255));
  }
  std::vector<std::uint8_t> picture_{};
  std::int32_t width_ = 0;
  const float* tensor_ = nullptr;
};

}  // namespace tkl::test
