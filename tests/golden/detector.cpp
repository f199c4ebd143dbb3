// SPDX-License-Identifier: Apache-2.0
// The compiled detector at its five sizes: probabilities and boxes against ONNX Runtime.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <algorithm>
#include <read_page/boxes.hpp>
#include <read_page/networks/detector.hpp>
#include <string>
#include <vector>

#include "golden_folder.hpp"
#include "walk.hpp"

using namespace tkl::test;
using read_page::extent;

namespace {

using detectors = tkl::buckets<read_page::detector, tkl::cpu<>, extent{192, 384}, extent{384, 768}, extent{640, 640},
                               extent{736, 1280}, extent{1280, 736}>;

extent pair_or(const golden_file& golden, const char* name, extent otherwise) {
  if (!golden.has(name)) return otherwise;
  const std::int32_t* p = golden[name].as<std::int32_t>();
  return {p[0], p[1]};
}

void check_boxes(const std::vector<float>& probability, extent frame, const golden_file& golden) {
  // Files without sizes show the photographed page, scaled to the whole frame.
  const extent used = pair_or(golden, "used", frame), source = pair_or(golden, "source_size", {191, 384});
  const auto found = read_page::find_text(probability.data(), frame, used, source);
  REQUIRE(found.size() == static_cast<std::size_t>(golden["boxes_xyxy"].extents[0]));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int32_t* b = golden["boxes_xyxy"].as<std::int32_t>() + 4 * i;
    const auto same = std::ranges::find(found, read_page::box{b[0], b[1], b[2], b[3]}, &read_page::text_box::box);
    REQUIRE(same != found.end());
    CHECK(std::abs(same->score - static_cast<double>(golden["scores"].as<float>()[i])) <= probability_tolerance);
  }
}

}  // namespace

TEST_CASE("probabilities and boxes") {
  const auto network = detectors::load(trained_weights("det").c_str());
  REQUIRE_MESSAGE(network, network.error().message());
  const auto workspace = detectors::make_workspace();
  REQUIRE(workspace);
  std::array<int, 5> runs{};
  for (const std::string& path : golden_files("det_", true)) {
    CAPTURE(path);
    const golden_file golden(path);
    const extent frame{static_cast<int>(golden["output"].extents[2]), static_cast<int>(golden["output"].extents[3])};
    const int shape = detectors::smallest([&](const extent& e) { return e == frame; });
    REQUIRE(shape >= 0);
    const network_input input(golden, detectors::plans[static_cast<std::size_t>(shape)].input(0));
    std::vector<float> out(golden["output"].elements());
    const tkl::status run = (*network)(shape, *workspace, input.picture(), out);
    REQUIRE_MESSAGE(run, run.message());
    const difference d = compare(out.data(), out.size(), golden["output"]);
    CHECK(d.largest <= probability_tolerance);
    check_boxes(out, frame, golden);
    ++runs[static_cast<std::size_t>(shape)];
  }
  CHECK(std::ranges::min(runs) >= 1);
}
