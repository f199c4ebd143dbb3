// SPDX-License-Identifier: Apache-2.0
// What has been read, for the writers of text, JSON and HTML.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "picture.hpp"

namespace read_page {

struct line_result {
  std::string text{};  // UTF-8
  double confidence = 0;
  read_page::box box{};
  double milliseconds = 0;
  bool turned = false;   // the line stood upside down
  bool reduced = false;  // the line was longer than the widest recogniser holds
};

struct page_result {
  std::string file{};
  extent size{};
  extent frame{};        // the detector's; none when the picture was taken as one line
  bool reduced = false;  // the picture was larger than every frame
  std::vector<line_result> lines{};
};

/// Milliseconds per network over the whole run.
struct network_times {
  double detector = 0;
  double classifier = 0;
  double recogniser = 0;
  double total() const { return detector + classifier + recogniser; }
};

struct network_share {
  const char* name;
  double milliseconds;
  double percent;
};

inline std::array<network_share, 3> shares(const network_times& t) {
  const double whole = t.total() > 0 ? t.total() : 1;
  return {{{"detector", t.detector, 100 * t.detector / whole},
           {"classifier", t.classifier, 100 * t.classifier / whole},
           {"recogniser", t.recogniser, 100 * t.recogniser / whole}}};
}

}  // namespace read_page
