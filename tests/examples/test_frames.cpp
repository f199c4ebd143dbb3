// SPDX-License-Identifier: Apache-2.0
// Scaling pictures, choosing and filling frames.
// tkl-test: libs=read_page
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <read_page/frames.hpp>
#include <read_page/resize.hpp>
#include <vector>

using namespace read_page;

namespace {

picture striped(extent size) {
  picture p(size);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < 3; ++c)
        p.rgb[3 * static_cast<std::size_t>(y * size.width + x) + static_cast<std::size_t>(c)] =
            static_cast<std::uint8_t>((37 * x + 91 * y + 150 * c + x * y) % 256);
  return p;
}

/// One sample in double: half-pixel centres, no antialias.
double sample(const picture& p, double y, double x, int c) {
  const auto clamp = [](double v, int n) { return v < 0 ? 0.0 : v > n - 1 ? n - 1.0 : v; };
  y = clamp(y, p.size.height), x = clamp(x, p.size.width);
  const int y0 = static_cast<int>(y), x0 = static_cast<int>(x);
  const int y1 = y0 + 1 < p.size.height ? y0 + 1 : y0, x1 = x0 + 1 < p.size.width ? x0 + 1 : x0;
  const auto at = [&](int j, int i) { return static_cast<double>(p.view().row(j)[3 * i + c]); };
  const double upper = at(y0, x0) + (at(y0, x1) - at(y0, x0)) * (x - x0);
  const double lower = at(y1, x0) + (at(y1, x1) - at(y1, x0)) * (x - x0);
  return upper + (lower - upper) * (y - y0);
}

std::vector<std::uint8_t> resized(const picture& p, extent size) {
  std::vector<std::uint8_t> out(3 * static_cast<std::size_t>(size.height * size.width));
  resize(p.view(), out.data(), size, 3 * size.width);
  return out;
}

}  // namespace

TEST_CASE("resize agrees with interpolation in double to the rounding") {
  for (const extent from : {extent{5, 7}, extent{1, 9}, extent{48, 13}, extent{31, 1}})
    for (const extent to : {extent{48, 20}, extent{3, 4}, extent{1, 1}, extent{5, 7}, extent{47, 61}}) {
      const picture p = striped(from);
      const std::vector<std::uint8_t> out = resized(p, to);
      double worst = 0;
      for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
          for (int c = 0; c < 3; ++c) {
            const double expected =
                sample(p, (y + 0.5) * from.height / to.height - 0.5, (x + 0.5) * from.width / to.width - 0.5, c);
            worst = std::max(worst, std::abs(out[static_cast<std::size_t>(3 * (y * to.width + x) + c)] - expected));
          }
      CAPTURE(from.height);
      CAPTURE(from.width);
      CAPTURE(to.height);
      CAPTURE(to.width);
      CHECK(worst <= 0.52);
    }
}

TEST_CASE("resize to the same size changes nothing, and doubling a step gives quarters") {
  const picture p = striped({11, 6});
  CHECK(resized(p, {11, 6}) == p.rgb);
  picture step({1, 2});
  step.rgb = {0, 0, 0, 100, 100, 100};
  CHECK(resized(step, {1, 4}) == std::vector<std::uint8_t>{0, 0, 0, 25, 25, 25, 75, 75, 75, 100, 100, 100});
}

TEST_CASE("a line goes into the narrowest frame that holds it") {
  CHECK(columns_of_line({48, 320}) == 320);
  CHECK(columns_of_line({23, 287}) == 599);
  CHECK(columns_of_line({100, 1}) == 1);
  const struct {
    extent line;
    int width, columns;
  } cases[] = {{{48, 320}, 320, 320}, {{48, 321}, 480, 321}, {{23, 287}, 640, 599},
               {{20, 375}, 960, 900}, {{24, 480}, 960, 960}, {{96, 100}, 320, 50}};
  for (const auto& c : cases) {
    const framed f = frame_line(picture(c.line).view());
    CHECK(f.frame == extent{48, c.width});
    CHECK(f.used == extent{48, c.columns});
    CHECK_FALSE(f.reduced);
  }
}

TEST_CASE("a line that is too long keeps its ratio, its last row goes on below") {
  const picture p = striped({20, 1000});
  const framed f = frame_line(p.view());
  CHECK(f.frame == extent{48, 960});
  CHECK(f.used == extent{19, 960});
  CHECK(f.reduced);
  const std::size_t row = 3 * 960;
  for (std::size_t i = 0; i < row; ++i) REQUIRE(f.rgb[18 * row + i] == f.rgb[47 * row + i]);
  const framed hair = frame_line(picture({4, 30000}).view());
  CHECK(hair.used == extent{1, 960});
}

TEST_CASE("the classifier's line is squeezed") {
  CHECK(frame_direction(picture({23, 287}).view()).used == extent{48, 192});
  CHECK(frame_direction(picture({48, 100}).view()).used == extent{48, 100});
  CHECK_FALSE(frame_direction(picture({23, 287}).view()).reduced);
}

TEST_CASE("a page goes into the smallest frame that holds it, unscaled") {
  const struct {
    extent page, frame, used;
    bool reduced;
  } cases[] = {{{191, 384}, {192, 384}, {191, 384}, false},    {{192, 385}, {384, 768}, {192, 385}, false},
               {{400, 400}, {640, 640}, {400, 400}, false},    {{641, 640}, {736, 1280}, {641, 640}, false},
               {{736, 1280}, {736, 1280}, {736, 1280}, false}, {{737, 1280}, {736, 1280}, {736, 1278}, true},
               {{3000, 2000}, {1280, 736}, {1104, 736}, true}, {{2000, 3000}, {736, 1280}, {736, 1104}, true},
               {{2000, 2000}, {736, 1280}, {736, 736}, true},  {{4, 30000}, {736, 1280}, {1, 1280}, true}};
  for (const auto& c : cases) {
    CAPTURE(c.page.height);
    CAPTURE(c.page.width);
    const framed f = frame_page(picture(c.page).view());
    CHECK(f.frame == c.frame);
    CHECK(f.used == c.used);
    CHECK(f.reduced == c.reduced);
  }
}

TEST_CASE("the last column and row go on over the rest of the frame") {
  const picture p = striped({3, 2});
  std::vector<std::uint8_t> frame(3 * 4 * 5, 7);
  resize(p.view(), frame.data(), {3, 2}, 15);
  extend_edges(frame.data(), {3, 2}, {4, 5});
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x)
      for (int c = 0; c < 3; ++c)
        CHECK(frame[static_cast<std::size_t>(15 * y + 3 * x + c)] ==
              p.view().row(std::min(y, 2))[3 * std::min(x, 1) + c]);
}

TEST_CASE("a crop is a view, turning reverses rows and columns") {
  const picture p = striped({5, 6});
  const picture_view part = p.view().crop({2, 1, 5, 4});
  CHECK(part.size == extent{3, 3});
  CHECK(part.row(0) == p.view().row(1) + 6);
  const picture t = turned(part);
  for (int y = 0; y < 3; ++y)
    for (int i = 0; i < 9; ++i) CHECK(t.view().row(y)[i] == part.row(2 - y)[3 * (2 - i / 3) + i % 3]);
}
