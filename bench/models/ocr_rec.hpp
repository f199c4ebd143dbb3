// SPDX-License-Identifier: Apache-2.0
// The recogniser as its ONNX file has it: a normalised picture, planes B, G, R.
#pragma once

#include <cstdint>
#include <read_page/networks/recogniser.hpp>

namespace bench {

template <std::int64_t Width>
struct ocr_rec {
  static constexpr tkl::value build(tkl::graph& g) {
    return read_page::recogniser<Width>::network(g.input("x", tkl::f32, {1, 48, Width, 3}, tkl::memory_layout::nchw));
  }
};

}  // namespace bench
