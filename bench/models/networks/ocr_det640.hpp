// SPDX-License-Identifier: Apache-2.0
// The detector as its ONNX file has it: a normalised picture, planes B, G, R.
#pragma once

#include <read_page/networks/detector.hpp>

namespace bench {

struct ocr_det640 {
  static constexpr void build(tkl::graph& g) {
    const tkl::value picture = g.input("x", tkl::f32, {1, 640, 640, 3}, tkl::memory_layout::nchw);
    g.output(read_page::detector<read_page::extent{640, 640}>::network(picture), "probability",
             tkl::memory_layout::nchw);
  }
};

}  // namespace bench
