// SPDX-License-Identifier: Apache-2.0
// Trained networks with half storage, on an OpenCL device: how far they are from ONNX Runtime in f32.
// tkl-test: libs=read_page,rapidjson,opencl timeout=600
#include <doctest/doctest.h>

#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>

#include "golden_folder.hpp"
#include "networks/mobilenet_v2.hpp"
#include "networks/resnet50.hpp"
#include "opencl_run.hpp"

using namespace tkl::test;

namespace {

/// The network on golden files whose names begin so; how many there were.
template <class Model>
int check(const std::string& weights, const std::string& prefix, bool logits) {
  using full = tkl::impl::compiled_plan<Model, tkl::opencl<>>;
  using half = tkl::compile<Model, tkl::half_storage<tkl::opencl<>>>;
  static_assert(half::conversions == full::frozen.facts.conversions && half::steps == full::first.counts.steps);
  static_assert(10 * half::arena_bytes < 6 * full::frozen.facts.arena_bytes);
  static_assert(10 * half::weights_bytes < 6 * full::frozen.facts.weights_bytes);
  const on_device<half> run(weights);
  int files = 0;
  for (const std::string& path : golden_files(prefix)) {
    CAPTURE(path);
    const golden_file golden(path);
    if (!golden.has("output")) continue;
    const std::vector<float> out = run(golden);
    const difference d = compare(out.data(), out.size(), golden["output"]);
    const double error = logits ? d.relative() : d.largest;
    CHECK(error <= (logits ? half_logit_tolerance : half_probability_tolerance));
    MESSAGE(path, ": ", error);
    ++files;
  }
  return files;
}

}  // namespace

TEST_CASE("recogniser") {
  CHECK(check<read_page::recogniser<320>>(trained_weights("rec"), "rec_320_", false) >= 2);
}
TEST_CASE("detector") {
  CHECK(check<read_page::detector<read_page::extent{192, 384}>>(trained_weights("det"), "det_192x384_", false) >= 2);
}
TEST_CASE("classifier") {
  CHECK(check<read_page::classifier>(trained_weights("cls"), "cls_", false) >= 6);
}
TEST_CASE("MobileNetV2") {
  CHECK(check<mobilenet_v2>(golden_folder() + "mobilenet_v2.safetensors", "mobilenet_v2_", true) == 2);
}
TEST_CASE("ResNet-50") {
  CHECK(check<resnet50>(golden_folder() + "resnet50.safetensors", "resnet50_", true) == 2);
}
