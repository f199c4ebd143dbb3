// SPDX-License-Identifier: Apache-2.0
// The compiled direction classifier: probabilities and labels against ONNX Runtime.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <read_page/networks/classifier.hpp>
#include <string>

#include "golden_folder.hpp"
#include "walk.hpp"

using namespace tkl::test;

TEST_CASE("probabilities and labels") {
  using network = tkl::compile<read_page::classifier, tkl::cpu<>>;
  const auto classify = network::load(trained_weights("cls").c_str());
  REQUIRE_MESSAGE(classify, classify.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  int turned = 0, upright = 0;
  for (const std::string& path : golden_files("cls_", true)) {
    CAPTURE(path);
    const golden_file golden(path);
    const network_input input(golden, network::plan_edges()[network::plan_inputs()[0]]);
    const std::int32_t width[] = {input.width()};
    float out[2];
    const tkl::status run = (*classify)(*workspace, input.picture(), +width, +out);
    REQUIRE_MESSAGE(run, run.message());
    const difference d = compare(out, 2, golden["output"]);
    CHECK(d.largest <= probability_tolerance);
    const bool upside_down = golden["output"].as<float>()[1] > 0.9F;
    CHECK((out[1] > 0.9F) == upside_down);
    CHECK(upside_down == (path.find("upside_down") != std::string::npos));
    ++(upside_down ? turned : upright);
  }
  CHECK(turned >= 3);
  CHECK(upright >= 3);
}
