// SPDX-License-Identifier: Apache-2.0
// The recogniser and MobileNetV2 with half storage on the CPU: how far they are from ONNX Runtime in f32.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <read_page/networks/recogniser.hpp>
#include <string>
#include <vector>

#include "golden_folder.hpp"
#include "networks/mobilenet_v2.hpp"
#include "walk.hpp"

using namespace tkl::test;

namespace {

template <class Model>
void check(const std::string& weights, const std::string& path, bool logits) {
  using network = tkl::compile<Model, tkl::half_storage<tkl::cpu<>>>;
  const auto net = network::load(weights.c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  const golden_file golden(path);
  const network_input input(golden, network::plan_edges()[network::plan_inputs()[0]]);
  std::vector<const void*> in;
  for (int i = 0; i < network::inputs; ++i)
    in.push_back(input.buffer(network::plan_edges()[network::plan_inputs()[i]]));
  std::vector<float> out(golden["output"].elements());
  void* const to[] = {out.data()};
  const tkl::status s = net->run(*workspace, in.data(), to);
  REQUIRE_MESSAGE(s, s.message());
  const difference d = compare(out.data(), out.size(), golden["output"]);
  const double error = logits ? d.relative() : d.largest;
  CHECK(error <= (logits ? half_logit_tolerance : half_probability_tolerance));
  MESSAGE(path, ": ", error);
}

}  // namespace

TEST_CASE("recogniser") {
  for (const char* file : {"rec_320_line", "rec_320_tinted"})
    check<read_page::recogniser<320>>(trained_weights("rec"), golden_folder() + file + ".safetensors", false);
}
TEST_CASE("MobileNetV2") {
  for (const char* file : {"mobilenet_v2_a", "mobilenet_v2_b"})
    check<mobilenet_v2>(golden_folder() + "mobilenet_v2.safetensors", golden_folder() + file + ".safetensors", true);
}
