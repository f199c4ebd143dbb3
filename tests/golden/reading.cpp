// SPDX-License-Identifier: Apache-2.0
// The parts of read_page between the networks, on the probabilities that ONNX Runtime computed: the same frames, boxes
// and texts as the Python that made the golden files.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <cstring>
#include <read_page/boxes.hpp>
#include <read_page/ctc.hpp>
#include <read_page/files.hpp>
#include <read_page/frames.hpp>
#include <string>
#include <vector>

#include "golden_file.hpp"
#include "golden_folder.hpp"

using namespace read_page;
using tkl::test::golden_file;
using tkl::test::golden_files;
using tkl::test::golden_folder;

namespace {

extent extent_of(const tkl::test::golden_tensor& pair) {
  return {pair.as<std::int32_t>()[0], pair.as<std::int32_t>()[1]};
}

}  // namespace

TEST_CASE("boxes from the detector's probabilities") {
  REQUIRE(golden_files("det_").size() >= 4);
  for (const std::string& path : golden_files("det_")) {
    CAPTURE(path);
    const golden_file file(path);
    const auto& map = file["output"];
    const extent size{static_cast<int>(map.extents[2]), static_cast<int>(map.extents[3])};
    const auto found = find_text(map.as<float>(), size, extent_of(file["used"]), extent_of(file["source_size"]));
    REQUIRE(found.size() == static_cast<std::size_t>(file["boxes_xyxy"].extents[0]));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int32_t* b = file["boxes_xyxy"].as<std::int32_t>() + 4 * i;
      CHECK(found[i].box == box{b[0], b[1], b[2], b[3]});
      CHECK(found[i].score == doctest::Approx(static_cast<double>(file["scores"].as<float>()[i])).epsilon(1e-6));
    }
  }
}

TEST_CASE("texts from the recogniser's probabilities") {
  const std::string table = std::string(TKL_GOLDEN_BUILD) + "/weights/rec_characters.txt";
  const auto bytes = read_file(table);
  REQUIRE(bytes);
  const auto letters = parse_alphabet(*bytes, 6623, table.c_str());
  REQUIRE(letters);
  CHECK((*letters).characters[1220] == "A");
  CHECK((*letters).characters[5709] == "\xe3\x80\x80");
  REQUIRE(golden_files("rec_").size() >= 4);
  for (const std::string& path : golden_files("rec_")) {
    CAPTURE(path);
    const golden_file file(path);
    const auto& p = file["output"];
    const transcript t = decode_greedily(p.as<float>(), static_cast<int>(p.extents[1]), *letters);
    CHECK(t.text == file.metadata.at("text"));
    CHECK(t.confidence == doctest::Approx(std::stod(file.metadata.at("confidence"))).epsilon(2e-6));
  }
}

TEST_CASE("the photographed page in its frame, byte for byte") {
  const auto bytes = read_file(std::string(TKL_GOLDEN_BUILD) + "/weights/page.png");
  REQUIRE(bytes);
  const auto page = decode_picture(*bytes, "page.png");
  REQUIRE(page);
  const framed f = frame_page((*page).view());
  CHECK(f.frame == extent{192, 384});
  const golden_file file(golden_folder() + "det_192x384_page.safetensors");
  REQUIRE(file["picture"].size == f.rgb.size());
  CHECK(std::memcmp(file["picture"].bytes, f.rgb.data(), f.rgb.size()) == 0);
}
