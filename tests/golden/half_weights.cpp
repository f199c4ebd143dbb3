// SPDX-License-Identifier: Apache-2.0
// The recogniser with weights of 16 bits on the CPU: the texts of ONNX Runtime in f32, and how far probabilities are.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <algorithm>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <vector>

#include "golden_folder.hpp"
#include "network_input.hpp"
#include "walk.hpp"

using namespace tkl::test;

namespace {

constexpr std::size_t classes = 6625;

/// The best class of each column.
std::vector<std::size_t> best_classes(const float* probabilities, std::size_t count) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < count; i += classes)
    best.push_back(static_cast<std::size_t>(std::max_element(probabilities + i, probabilities + i + classes) -
                                            (probabilities + i)));
  return best;
}

TEST_CASE("recogniser") {
  using network = tkl::compile<read_page::recogniser<320>, tkl::half_weights<tkl::cpu<>>>;
  const auto net = network::load(trained_weights("rec").c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  for (const char* file : {"rec_320_line", "rec_320_tinted"}) {
    const golden_file golden(golden_folder() + file + ".safetensors");
    const network_input input(golden, network::plan_edges()[network::plan_inputs()[0]]);
    std::vector<const void*> in;
    for (int i = 0; i < network::inputs; ++i)
      in.push_back(input.buffer(network::plan_edges()[network::plan_inputs()[i]]));
    std::vector<float> out(golden["output"].elements());
    void* const to[] = {out.data()};
    const tkl::status s = net->run(*workspace, in.data(), to);
    REQUIRE_MESSAGE(s, s.message());
    const double error = compare(out.data(), out.size(), golden["output"]).largest;
    CHECK(error <= half_weights_probability_tolerance);
    CHECK(best_classes(out.data(), out.size()) == best_classes(golden["output"].as<float>(), out.size()));
    MESSAGE(std::string(file), ": ", error, ", ", network::weights_bytes, " bytes of weights");
  }
}

}  // namespace
