// SPDX-License-Identifier: Apache-2.0
#include "jpeg_end.hpp"

#include <cstddef>

namespace read_page {

bool jpeg_has_end(const std::vector<std::uint8_t>& file) {
  const std::uint8_t fill = 0xff, stuffed = 0x00, restart_first = 0xd0, start = 0xd8, end = 0xd9, temporary = 0x01;
  for (std::size_t at = 0; at + 1 < file.size();) {
    // Between segments and in compressed data alike: go on to the next 0xff that is followed by a code.
    if (file[at] != fill || file[at + 1] == fill) {
      ++at;
      continue;
    }
    const std::uint8_t code = file[at + 1];
    at += 2;
    if (code == end) return true;
    if (code == stuffed || code == temporary || (code >= restart_first && code <= start)) continue;
    if (at + 1 >= file.size()) return false;
    at += static_cast<std::size_t>(file[at]) * 256 + file[at + 1];  // the length counts its own two bytes
  }
  return false;
}

}  // namespace read_page
