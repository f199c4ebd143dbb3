// SPDX-License-Identifier: Apache-2.0
// The trained direction classifier, computed in half precision where opencl_precision::half does so: its kernels are
// compiled for the host, since no OpenCL device for CPUs has the extension. How far its probabilities are from ONNX
// Runtime in f32.
// tkl-test: libs=read_page,rapidjson,opencl,dl timeout=600
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <read_page/networks/classifier.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "golden_folder.hpp"
#include "network_input.hpp"
#include "support/opencl_native.hpp"

using namespace tkl::test;

namespace {

using full = tkl::opencl<tkl::arch::mali_g52>;

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(all.size());
  std::transform(all.begin(), all.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

/// The largest difference of a probability.
template <class Target>
double error_of(const tkl::graph& g, const tkl_test::planned_graph<Target>& planned, const golden_file& golden) {
  const tkl::device_plan plan = planned.plan(Target::items);
  const network_input input(golden, plan.input(0));
  std::vector<const void*> in;
  for (int i = 0; i < plan.input_count; ++i) in.push_back(input.buffer(plan.input(i)));
  const tkl_test::device_run run = tkl_test::run_planned(planned, g, in);
  REQUIRE(run.error == "");
  REQUIRE(run.outputs.size() == 1);
  REQUIRE(run.outputs[0].size() == 2);
  double largest = 0;
  for (std::size_t i = 0; i < 2; ++i)
    largest = std::fmax(largest, std::fabs(run.outputs[0][i] - static_cast<double>(golden["output"].as<float>()[i])));
  return largest;
}

}  // namespace

TEST_CASE("classifier in half precision") {
  tkl::graph g;
  tkl::build_model<read_page::classifier>(g);
  const std::vector<std::byte> weights = bytes_of(trained_weights("cls"));
  const tkl_test::planned_graph<tkl_test::device_target> in_half(g, weights);
  const tkl_test::planned_graph<tkl::half_storage<full>> stored(g, weights);
  REQUIRE(in_half.run.error == "");
  int computing = 0, files = 0;
  for (const tkl::kernel_key& k : in_half.program.keys)
    computing += tkl::computes_in_half(k, tkl::opencl_precision::half);
  CHECK(computing > 5);
  double largest = 0, largest_stored = 0;
  for (const std::string& path : golden_files("cls_")) {
    CAPTURE(path);
    const golden_file golden(path);
    largest = std::fmax(largest, error_of(g, in_half, golden));
    largest_stored = std::fmax(largest_stored, error_of(g, stored, golden));
    ++files;
  }
  CHECK(files >= 6);
  CHECK(largest <= half_arithmetic_tolerance);
  MESSAGE(computing, " of ", in_half.program.keys.size(), " kernels compute in half precision; largest error of a ",
          "probability ", largest, ", where only storage is half ", largest_stored);
}
