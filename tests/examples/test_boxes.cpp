// SPDX-License-Identifier: Apache-2.0
// Boxes from probability maps.
// tkl-test: libs=read_page
#include <doctest/doctest.h>

#include <read_page/boxes.hpp>
#include <string_view>
#include <vector>

using namespace read_page;

namespace {

/// A map from a drawing: '#' 0.9, '+' 0.5, '.' 0.1.
struct map {
  std::vector<float> values{};
  extent size{};

  explicit map(std::vector<std::string_view> rows)
      : size{static_cast<int>(rows.size()), static_cast<int>(rows[0].size())} {
    for (std::string_view row : rows)
      for (char c : row) values.push_back(c == '#' ? 0.9F : c == '+' ? 0.5F : 0.1F);
  }
  std::vector<text_box> boxes(extent picture) const { return find_text(values.data(), size, size, picture); }
  std::vector<text_box> boxes() const { return boxes(size); }
};

text_box at(int x0, int y0, int x1, int y1) {
  return {{x0, y0, x1, y1}, 1, 1};
}

}  // namespace

TEST_CASE("one block: grown by 1.6 times area over circumference") {
  const map m({"............", "............", "....####....", "....####....", "....####....", "............"});
  const auto found = m.boxes();
  REQUIRE(found.size() == 1);
  // 1.6 * 4 * 3 / 14 = 1.371
  CHECK(found[0].box == box{3, 1, 9, 6});
  CHECK(found[0].pixels == 12);
  CHECK(found[0].score == doctest::Approx(0.9));
}

TEST_CASE("corners connect, gaps separate") {
  const map m({"###......###", "###......###", "###......###", "...###......", "...###......", "...###......"});
  const auto found = m.boxes();
  REQUIRE(found.size() == 2);
  CHECK(found[0].pixels + found[1].pixels == 27);
}

TEST_CASE("what is too thin or too doubtful is dropped") {
  CHECK(map({"########", "########", "........"}).boxes().empty());
  CHECK(map({"++++++", "++++++", "++++++"}).boxes().empty());
  // Means 0.633 and 0.567.
  CHECK(map({"####++++++++", "####++++++++", "####++++++++"}).boxes().size() == 1);
  CHECK(map({"##++++++++++", "##++++++++++", "##++++++++++"}).boxes().empty());
  CHECK(map({"....", "...."}).boxes().empty());
}

TEST_CASE("the shape counts, not its bounding box: holes and concave shapes") {
  const map m({"#####", "#...#", "#...#", "#...#", "#####"});
  const auto found = m.boxes();
  REQUIRE(found.size() == 1);
  CHECK(found[0].pixels == 16);
  CHECK(found[0].score == doctest::Approx(0.9));
  CHECK(found[0].box == box{0, 0, 5, 5});
}

TEST_CASE("boxes are scaled from the used part of the map to the picture and clipped") {
  map m({"........", ".####...", ".####...", ".####...", "........"});
  const auto twice = m.boxes({10, 16});
  REQUIRE(twice.size() == 1);
  // grown by 1.371: -0.371..6.371, -0.371..5.371 in the map
  CHECK(twice[0].box == box{0, 0, 13, 10});
  const auto part = find_text(m.values.data(), m.size, {5, 4}, {5, 4});
  REQUIRE(part.size() == 1);
  CHECK(part[0].box == box{0, 0, 4, 5});
  // A component wholly in the padding leaves nothing.
  map right({"........###", "........###", "........###"});
  CHECK(find_text(right.values.data(), right.size, {3, 4}, {3, 4}).empty());
}

TEST_CASE("a NaN is no text") {
  map m({"###", "###", "###"});
  for (float& v : m.values) v = v / 0.0F - v / 0.0F;
  CHECK(m.boxes().empty());
}

TEST_CASE("reading order: rows from top to bottom, each from left to right") {
  std::vector<text_box> boxes = {at(50, 12, 90, 32), at(0, 40, 90, 60), at(0, 10, 40, 30), at(100, 8, 120, 28)};
  sort_in_reading_order(boxes);
  CHECK(boxes[0].box == box{0, 10, 40, 30});
  CHECK(boxes[1].box == box{50, 12, 90, 32});
  CHECK(boxes[2].box == box{100, 8, 120, 28});
  CHECK(boxes[3].box == box{0, 40, 90, 60});
  std::vector<text_box> none;
  sort_in_reading_order(none);
  CHECK(none.empty());
}
