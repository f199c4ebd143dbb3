// SPDX-License-Identifier: Apache-2.0
// Whole pages through detector, classifier and recogniser: boxes, texts and directions as with ONNX Runtime.
// tkl-test: libs=read_page_networks,read_page,rapidjson
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <cmath>
#include <read_page/files.hpp>
#include <read_page/read.hpp>
#include <string>

#include "golden_folder.hpp"

using namespace read_page;
using tkl::test::golden_folder;

namespace {

std::vector<std::uint8_t> bytes_of(const std::string& path) {
  auto bytes = read_file(path);
  REQUIRE_MESSAGE(bytes, path);
  return std::move(*bytes);
}

page_reader make_reader() {
  const std::string folder = std::string(TKL_GOLDEN_BUILD) + "/weights";
  auto letters = parse_alphabet(bytes_of(folder + "/rec_characters.txt"), recogniser_classes - 2, "rec_characters.txt");
  REQUIRE(letters);
  auto nets = networks::load(folder);
  REQUIRE_MESSAGE(nets, nets.error().message());
  return page_reader(std::move(*nets), std::move(*letters));
}

box box_of(const rapidjson::Value& corners) {
  return {corners[0].GetInt(), corners[1].GetInt(), corners[2].GetInt(), corners[3].GetInt()};
}

}  // namespace

TEST_CASE("pages") {
  page_reader reader = make_reader();
  for (const char* name : {"photographed", "tinted", "upside_down"}) {
    CAPTURE(name);
    const std::string base = golden_folder() + "page_" + name;
    const auto json = bytes_of(base + ".json");
    rapidjson::Document expected;
    REQUIRE(!expected.Parse(reinterpret_cast<const char*>(json.data()), json.size()).HasParseError());
    const auto picture = decode_picture(bytes_of(base + ".png"), name);
    REQUIRE(picture);
    const auto page = reader.page(*picture, name);
    REQUIRE_MESSAGE(page, page.error().message());
    CHECK(page->frame.height == expected["size"][0].GetInt());
    CHECK(page->frame.width == expected["size"][1].GetInt());
    const auto& lines = expected["lines"];
    REQUIRE(page->lines.size() == lines.Size());
    for (rapidjson::SizeType i = 0; i < lines.Size(); ++i) {
      const line_result& line = page->lines[i];
      CHECK(line.text == lines[i]["text"].GetString());
      CHECK(line.box == box_of(lines[i]["box"]));
      CHECK(line.turned == lines[i]["turned"].GetBool());
      CHECK(std::abs(line.confidence - lines[i]["confidence"].GetDouble()) <= 5e-5);
    }
  }
}
