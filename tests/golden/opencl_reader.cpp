// SPDX-License-Identifier: Apache-2.0
// The three networks that read a page, compiled for OpenCL: probabilities against ONNX Runtime.
// tkl-test: libs=read_page,rapidjson,opencl timeout=600
#include <doctest/doctest.h>

#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>

#include "golden_folder.hpp"
#include "opencl_run.hpp"

using namespace tkl::test;
using target = tkl::opencl<>;
using recogniser = read_page::recogniser<320>;
using detector = read_page::detector<read_page::extent{192, 384}>;

static_assert(tkl::supports<recogniser, target>);
static_assert(tkl::supports<detector, target>);
static_assert(tkl::supports<read_page::classifier, target>);

namespace {

/// Golden files whose names begin so, against the network's output; how many there were.
template <class Model>
int check(const std::string& weights, const std::string& prefix) {
  using network = tkl::compile<Model, target>;
  static_assert(network::plan().steps[0].algorithm == tkl::algorithm::conv2d_staged,
                "bytes are converted as they load");
  const on_device<network> run(trained_weights(weights));
  int files = 0;
  for (const std::string& path : golden_files(prefix)) {
    CAPTURE(path);
    const golden_file golden(path);
    if (!golden.has("output")) continue;
    const std::vector<float> out = run(golden);
    const difference d = compare(out.data(), out.size(), golden["output"]);
    CHECK(d.largest <= probability_tolerance);
    MESSAGE(path, ": ", d.largest);
    ++files;
  }
  return files;
}

}  // namespace

TEST_CASE("recogniser") {
  CHECK(check<recogniser>("rec", "rec_320_") >= 2);
}
TEST_CASE("detector") {
  CHECK(check<detector>("det", "det_192x384_") >= 2);
}
TEST_CASE("classifier") {
  CHECK(check<read_page::classifier>("cls", "cls_") >= 6);
}
