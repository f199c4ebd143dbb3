// SPDX-License-Identifier: Apache-2.0
// Questions to SVG and HTML texts, for tests of what draws.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace support {

inline int count(const std::string& s, const std::string& part) {
  int n = 0;
  for (std::size_t at = s.find(part); at != std::string::npos; at = s.find(part, at + part.size())) ++n;
  return n;
}

/// "" when every tag is closed in order, else the tag.
inline std::string unbalanced(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return svg.substr(at);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.back() == '/') continue;
    std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

}  // namespace support
