// SPDX-License-Identifier: Apache-2.0
// Greedy decoding of class probabilities.
// tkl-test: libs=read_page
#include <doctest/doctest.h>

#include <cstring>
#include <read_page/ctc.hpp>
#include <string>
#include <vector>

using namespace read_page;

namespace {

/// Blank, "a", U+3000 and U+61F5, space.
const alphabet letters{{"a", "\xe3\x80\x80", "\xe6\x87\xb5"}};

transcript decode(const std::vector<int>& best, float probability = 0.6F) {
  std::vector<float> p(best.size() * 5, (1 - probability) / 4);
  for (std::size_t t = 0; t < best.size(); ++t) p[5 * t + static_cast<std::size_t>(best[t])] = probability;
  return decode_greedily(p.data(), static_cast<int>(best.size()), letters);
}

std::vector<std::uint8_t> bytes(const char* s) {
  return {s, s + std::strlen(s)};
}

}  // namespace

TEST_CASE("repeats collapse, blanks separate and vanish") {
  CHECK(decode({0, 1, 1, 0, 1, 0}).text == "aa");
  CHECK(decode({1, 1, 1}).text == "a");
  CHECK(decode({1, 4, 1}).text == "a a");
  CHECK(decode({2, 3, 4}).text == "\xe3\x80\x80\xe6\x87\xb5 ");
  CHECK(decode({0, 0, 0}).text.empty());
  CHECK(decode({}).text.empty());
}

TEST_CASE("confidence is the mean of the kept steps, the first of a run counts") {
  CHECK(decode({0, 1, 0}, 0.6F).confidence == doctest::Approx(0.6));
  CHECK(decode({0, 0}).confidence == 0);
  const float p[] = {0.1F, 0.9F, 0, 0, 0, 0.1F, 0.5F, 0.4F, 0, 0, 0.9F, 0.1F, 0, 0, 0, 0.1F, 0.1F, 0.7F, 0.1F, 0};
  const transcript t = decode_greedily(p, 4, letters);
  CHECK(t.text == "a\xe3\x80\x80");
  CHECK(t.confidence == doctest::Approx(0.8));
}

TEST_CASE("the table is split at line feeds only") {
  const auto good = parse_alphabet(bytes("a\n\xe3\x80\x80\n\xe6\x87\xb5"), 3, "t");
  REQUIRE(good);
  CHECK((*good).characters == letters.characters);
  CHECK((*good).classes() == 5);
  CHECK(parse_alphabet(bytes("a\nb\n"), 2, "t"));
  CHECK_FALSE(parse_alphabet(bytes(""), 3, "t"));
  const auto bad = parse_alphabet(bytes("a\nb"), 3, "table.txt");
  REQUIRE_FALSE(bad);
  CHECK(std::string(bad.error().message()) == "character table 'table.txt': 2 lines, expected 3");
}
