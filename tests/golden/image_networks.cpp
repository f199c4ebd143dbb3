// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 and ResNet-50, compiled: logits of two pictures against ONNX Runtime.
// tkl-test: libs=rapidjson
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "golden_folder.hpp"
#include "networks/mobilenet_v2.hpp"
#include "networks/resnet50.hpp"
#include "walk.hpp"

using namespace tkl::test;

namespace {

std::array<int, 5> top5(const float* logits) {
  std::array<int, 1000> order{};
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](int a, int b) { return logits[a] > logits[b]; });
  return {order[0], order[1], order[2], order[3], order[4]};
}

template <class Model>
void check(const std::string& name) {
  using network = tkl::compile<Model, tkl::cpu<>>;
  const auto net = network::load((golden_folder() + name + ".safetensors").c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  std::vector<std::array<int, 5>> best;
  for (const char* picture : {"_a", "_b"}) {
    CAPTURE(picture);
    const golden_file golden(golden_folder() + name + picture + ".safetensors");
    std::vector<float> out(1000);
    const tkl::status run = (*net)(*workspace, golden["input"].as<float>(), out);
    REQUIRE_MESSAGE(run, run.message());
    const difference d = compare(out.data(), out.size(), golden["output"]);
    CHECK(d.relative() <= logit_tolerance);
    best.push_back(top5(out.data()));
    CHECK(best.back() == top5(golden["output"].as<float>()));
  }
  CHECK(best[0] != best[1]);
}

}  // namespace

TEST_CASE("MobileNetV2") {
  check<mobilenet_v2>("mobilenet_v2");
}
TEST_CASE("ResNet-50") {
  check<resnet50>("resnet50");
}
