// SPDX-License-Identifier: Apache-2.0
// The direction classifier as its ONNX file has it: a normalised picture, planes B, G, R.
#pragma once

#include <read_page/networks/classifier.hpp>

namespace bench {

struct ocr_cls {
  static constexpr tkl::value build(tkl::graph& g) {
    return read_page::classifier::network(g.input("x", tkl::f32, {1, 48, 192, 3}, tkl::memory_layout::nchw));
  }
};

}  // namespace bench
