// SPDX-License-Identifier: Apache-2.0
// The compiled recogniser at its four widths: texts and probabilities against ONNX Runtime.
// tkl-test: libs=read_page,rapidjson
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <read_page/ctc.hpp>
#include <read_page/files.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <vector>

#include "golden_folder.hpp"
#include "walk.hpp"

using namespace tkl::test;

namespace {

constexpr int classes = 6625;
using recognisers = tkl::buckets<read_page::recogniser, tkl::cpu<>, 320, 480, 640, 960>;

int width_of(const golden_file& golden) {
  if (golden.has("picture")) return static_cast<int>(golden["picture"].extents[2]);
  return std::stoi(golden.metadata.at("width"));
}

read_page::alphabet letters() {
  const std::string table = std::string(TKL_GOLDEN_BUILD) + "/weights/rec_characters.txt";
  const auto bytes = read_page::read_file(table);
  REQUIRE(bytes);
  auto parsed = read_page::parse_alphabet(*bytes, classes - 2, table.c_str());
  REQUIRE(parsed);
  return std::move(*parsed);
}

void check_probabilities(const std::vector<float>& ours, const golden_file& golden) {
  if (golden.has("output")) {
    const difference d = compare(ours.data(), ours.size(), golden["output"]);
    CHECK(d.largest <= probability_tolerance);
    return;
  }
  for (std::size_t t = 0; t < golden["argmax"].elements(); ++t) {
    const auto row = ours.begin() + static_cast<std::ptrdiff_t>(t * classes);
    const auto best = std::max_element(row, row + classes);
    CHECK(best - row == golden["argmax"].as<std::int32_t>()[t]);
    CHECK(std::abs(*best - golden["maxprob"].as<float>()[t]) <= probability_tolerance);
  }
}

/// A copy of the weights whose tensor `name` has one wrong value.
std::string damaged_weights(const std::string& name) {
  const std::string path =
      std::string(TKL_BUILD_DIR) + "/golden_damaged_" + tkl::arch::native::name.data() + ".safetensors";
  auto bytes = read_page::read_file(trained_weights("rec"));
  REQUIRE(bytes);
  const golden_file whole(trained_weights("rec"));
  const golden_tensor& t = whole[name];
  const auto at = std::search((*bytes).begin(), (*bytes).end(), t.bytes, t.bytes + t.size,
                              [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
  REQUIRE(at != (*bytes).end());
  at[3] ^= 0x80;  // the sign of the first value
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>((*bytes).data()), static_cast<std::streamsize>((*bytes).size()));
  return path;
}

}  // namespace

TEST_CASE("texts and probabilities") {
  const auto alphabet = letters();
  const auto network = recognisers::load(trained_weights("rec").c_str());
  REQUIRE_MESSAGE(network, network.error().message());
  const auto workspace = recognisers::make_workspace();
  REQUIRE(workspace);
  std::array<int, 4> runs{};
  for (const std::string& path : golden_files("rec_", true)) {
    CAPTURE(path);
    const golden_file golden(path);
    const int width = width_of(golden);
    const int shape = recognisers::smallest([&](int w) { return w == width; });
    REQUIRE(shape >= 0);
    const network_input input(golden, recognisers::plans[static_cast<std::size_t>(shape)].input(0));
    std::vector<float> out(static_cast<std::size_t>(width / 8 * classes));
    const std::int32_t used[] = {input.width()};
    const tkl::status run = (*network)(shape, *workspace, input.picture(), +used, out);
    REQUIRE_MESSAGE(run, run.message());
    check_probabilities(out, golden);
    const read_page::transcript read = read_page::decode_greedily(out.data(), width / 8, alphabet);
    CHECK(read.text == golden.metadata.at("text"));
    CHECK(std::abs(read.confidence - std::stod(golden.metadata.at("confidence"))) <= probability_tolerance);
    ++runs[static_cast<std::size_t>(shape)];
  }
  CHECK(std::ranges::min(runs) >= 3);
}

TEST_CASE("a wrong weight is found in its step") {
  using network = tkl::compile<probed_recogniser<read_page::recogniser<320>>, tkl::cpu<>>;
  const golden_file golden(golden_folder() + "rec_320_line.safetensors");
  const auto good = network::load(trained_weights("rec").c_str());
  REQUIRE_MESSAGE(good, good.error().message());
  const std::vector<walked_edge> agreeing = walk(*good, golden, recogniser_probes);
  CHECK(agreeing.size() == recogniser_probes.size() + 1);
  CHECK(first_difference(agreeing) == nullptr);

  // Row 4's depthwise convolution is number 157 + 2 * 4.
  const auto damaged = network::load(damaged_weights("conv2d_165.w_0").c_str());
  REQUIRE_MESSAGE(damaged, damaged.error().message());
  const std::vector<walked_edge> differing = walk(*damaged, golden, recogniser_probes);
  const walked_edge* first = first_difference(differing);
  REQUIRE(first != nullptr);
  CHECK(first->edge == "row4.depthwise");
}
