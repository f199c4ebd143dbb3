// SPDX-License-Identifier: Apache-2.0
#include "ctc.hpp"

#include <algorithm>
#include <cstddef>

namespace read_page {

tkl::result<alphabet> parse_alphabet(const std::vector<std::uint8_t>& file, int expected, const char* name) {
  alphabet letters;
  letters.characters.emplace_back();
  for (const std::uint8_t byte : file) {
    if (byte == '\n')
      letters.characters.emplace_back();
    else
      letters.characters.back().push_back(static_cast<char>(byte));
  }
  // A final line feed ends the last line and begins no other.
  if (letters.characters.back().empty()) letters.characters.pop_back();
  if (static_cast<int>(letters.characters.size()) != expected) {
    tkl::message_text m;
    m << "character table '" << name << "': " << letters.characters.size() << " lines, expected " << expected;
    return tkl::status::failure(m);
  }
  return letters;
}

transcript decode_greedily(const float* probability, int steps, const alphabet& letters) {
  transcript out;
  const int classes = letters.classes();
  const int blank = 0, space = classes - 1;
  int kept = 0, before = blank;
  double sum = 0;
  for (int t = 0; t < steps; ++t) {
    const float* p = probability + static_cast<std::ptrdiff_t>(t) * classes;
    const int best = static_cast<int>(std::max_element(p, p + classes) - p);
    if (best != before && best != blank) {
      out.text += best == space ? std::string(" ") : letters.characters[static_cast<std::size_t>(best - 1)];
      sum += static_cast<double>(p[best]);
      ++kept;
    }
    before = best;
  }
  out.confidence = kept == 0 ? 0.0 : sum / kept;
  return out;
}

}  // namespace read_page
