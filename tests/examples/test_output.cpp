// SPDX-License-Identifier: Apache-2.0
// The text, JSON and HTML that the example writes.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <read_page/output_html.hpp>
#include <read_page/output_json.hpp>
#include <read_page/output_text.hpp>
#include <string>

using namespace read_page;

namespace {

page_result example() {
  page_result page{"a<b.png", {100, 200}, {192, 384}, false, {}};
  page.lines.push_back({"5 > 4 & \"caf\xc3\xa9\"", 0.98765, {1, 2, 30, 40}, 1.234, false, false});
  page.lines.push_back({"", 0, {0, 50, 200, 90}, 0.5, true, true});
  return page;
}

const network_times times{6, 1, 3};

}  // namespace

TEST_CASE("text: four columns") {
  CHECK(to_text(example()) == "5 > 4 & \"caf\xc3\xa9\"\t0.9877\t1 2 30 40\t1.23\n\t0.0000\t0 50 200 90\t0.50\n");
  CHECK(notes(example()) == "a<b.png: the line at 0 50 200 90 is longer than the widest frame; reduced to fit\n");
  CHECK(summary("avx2", times) ==
        "level avx2, 10.0 ms in the networks: detector 60.0 % classifier 10.0 % recogniser 30.0 %\n");
}

TEST_CASE("a reduced page and one without text are noted") {
  page_result page{"big.jpg", {3000, 2000}, {1280, 736}, true, {}};
  CHECK(notes(page) ==
        "big.jpg: 2000x3000 pixels are larger than every frame; reduced to fit 736x1280\nbig.jpg: no text found\n");
}

TEST_CASE("JSON: the same, parsed back") {
  const std::string json = to_json({example()}, "avx2", times);
  rapidjson::Document d;
  REQUIRE_FALSE(d.Parse(json.c_str()).HasParseError());
  CHECK(std::string(d["level"].GetString()) == "avx2");
  const auto& picture = d["pictures"][0];
  CHECK(picture["width"].GetInt() == 200);
  CHECK(picture["height"].GetInt() == 100);
  CHECK_FALSE(picture["reduced"].GetBool());
  const auto& line = picture["lines"][0];
  CHECK(std::string(line["text"].GetString()) == example().lines[0].text);
  CHECK(line["confidence"].GetDouble() == 0.9877);
  CHECK(line["box"][2].GetInt() == 30);
  CHECK(line["ms"].GetDouble() == 1.23);
  CHECK(picture["lines"][1]["turned"].GetBool());
  CHECK(d["networks"][0]["percent"].GetDouble() == 60);
}

TEST_CASE("HTML: text is escaped, the picture is inside, boxes are in percent") {
  const page_result page = example();
  const std::vector<std::uint8_t> file = {0x89, 'P', 'N', 'G', 0};
  const std::string html = to_html({{&page, &file}}, "avx2", times, {{"The graph", "<svg id=\"g\"></svg>"}});
  CHECK(html.find("5 &gt; 4 &amp; &quot;caf\xc3\xa9&quot;") != std::string::npos);
  CHECK(html.find("a<b") == std::string::npos);
  CHECK(html.find("data:image/png;base64,iVBORwA=") != std::string::npos);
  CHECK(html.find("left:0.500%;top:2.000%;width:14.500%;height:38.000%") != std::string::npos);
  CHECK(html.find("<svg id=\"g\"></svg>") != std::string::npos);
}
