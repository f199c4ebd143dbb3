// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results.hpp"

namespace read_page {

/// A drawing for the page, as SVG text.
struct drawing {
  std::string title{};
  std::string svg{};
};

struct html_page {
  const page_result* result = nullptr;
  const std::vector<std::uint8_t>* file = nullptr;  // PNG or JPEG bytes as they were read
};

/// One self-contained HTML document: each picture with its boxes and text, then the drawings.
std::string to_html(const std::vector<html_page>& pages, const char* level, const network_times& times,
                    const std::vector<drawing>& drawings);

}  // namespace read_page
