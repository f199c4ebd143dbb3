// SPDX-License-Identifier: Apache-2.0
// From the recogniser's class probabilities to text.
#pragma once

#include <cstdint>
#include <string>
#include <tkl/core/status.hpp>
#include <vector>

namespace read_page {

/// The recogniser's alphabet. Class 0 is the blank of CTC, class k the k-th character of the table, the class after the
/// last character the space.
struct alphabet {
  std::vector<std::string> characters{};  // UTF-8
  int classes() const { return static_cast<int>(characters.size()) + 2; }
};

/// Splits a character table at line feeds, and only there: one of the characters is itself white space. Fails when
/// there are not `expected` characters.
tkl::result<alphabet> parse_alphabet(const std::vector<std::uint8_t>& file, int expected, const char* name);

struct transcript {
  std::string text{};     // UTF-8
  double confidence = 0;  // mean probability of the steps kept, 0 when none is
};

/// Greedy decoding of connectionist temporal classification (Graves et al. 2006): the most probable class of each step;
/// a step equal to the one before is dropped, then blanks are. `probability` has steps x letters.classes() values.
transcript decode_greedily(const float* probability, int steps, const alphabet& letters);

}  // namespace read_page
