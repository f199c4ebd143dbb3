// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 and ResNet-50, compiled for OpenCL: logits of two pictures against ONNX Runtime.
// tkl-test: libs=rapidjson,opencl timeout=600
#include <doctest/doctest.h>

#include <string>

#include "golden_folder.hpp"
#include "networks/mobilenet_v2.hpp"
#include "networks/resnet50.hpp"
#include "opencl_run.hpp"

using namespace tkl::test;
using target = tkl::opencl<>;

static_assert(tkl::supports<mobilenet_v2, target>);
static_assert(tkl::supports<resnet50, target>);

namespace {

template <class Model>
void check(const std::string& name) {
  const on_device<tkl::compile<Model, target>> run(golden_folder() + name + ".safetensors");
  for (const std::string picture : {"_a", "_b"}) {
    CAPTURE(picture);
    const golden_file golden(golden_folder() + name + picture + ".safetensors");
    const std::vector<float> out = run(golden);
    const difference d = compare(out.data(), out.size(), golden["output"]);
    CHECK(d.relative() <= logit_tolerance);
    MESSAGE(name, picture, ": ", d.relative());
  }
}

}  // namespace

TEST_CASE("MobileNetV2") {
  check<mobilenet_v2>("mobilenet_v2");
}
TEST_CASE("ResNet-50") {
  check<resnet50>("resnet50");
}
