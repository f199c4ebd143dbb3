// SPDX-License-Identifier: Apache-2.0
// Weights of a compiled model: what loading refuses, packed files, and shapes that share one buffer.
// tkl-test: levels=base libs=rapidjson
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <tkl/cpu.hpp>
#include <vector>

#include "support/random_run.hpp"
#include "support/strip_reader.hpp"

namespace {

using tkl_test::strip_reader;
using readers = tkl::buckets<strip_reader, tkl::cpu<>, 20, 33>;
using narrow = readers::model<20>;

std::string path_of(const std::string& name) {
  return std::string(TKL_BUILD_DIR) + "/packed_weights." + name;
}
void write(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

tkl::graph graph_of_narrow() {
  tkl::graph g;
  tkl::build_model<strip_reader<20>>(g);
  return g;
}

/// A safetensors file with the weights of the strip reader.
std::string weights_file() {
  std::string path = path_of("safetensors");
  write(path, tkl_test::random_weights_file(graph_of_narrow()));
  return path;
}

readers load(const std::string& path) {
  auto loaded = readers::load(path.c_str());
  REQUIRE_MESSAGE(loaded, loaded.error().message());
  return std::move(*loaded);
}

std::vector<float> strip(int columns) {
  std::vector<float> x(static_cast<std::size_t>(8 * columns * 3));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = tkl_test::random_element("strip", static_cast<std::int64_t>(i));
  return x;
}

std::vector<float> labels(const readers& r, int index) {
  const int columns = readers::shapes[static_cast<std::size_t>(index)];
  std::vector<float> out(static_cast<std::size_t>(11 * columns));
  const auto workspace = readers::make_workspace();
  REQUIRE(workspace);
  const tkl::status s = r(index, *workspace, strip(columns), out);
  REQUIRE_MESSAGE(s, s.message());
  return out;
}

std::string fault_of(const std::string& path) {
  const auto loaded = readers::load(path.c_str());
  return loaded ? "" : loaded.error().message();
}

/// The fault of a packed file from which `change` made another.
template <class F>
std::string fault_after(const F& change) {
  std::vector<std::byte> bytes = read(path_of("packed"));
  change(bytes);
  write(path_of("damaged"), bytes);
  return fault_of(path_of("damaged"));
}

}  // namespace

TEST_CASE("a packed file gives the bits that the weights file gives, in every shape") {
  const readers loaded = load(weights_file());
  const tkl::status saved = loaded.save_packed(path_of("packed").c_str());
  REQUIRE_MESSAGE(saved, saved.message());
  CHECK(read(path_of("packed")).size() == 64 + static_cast<std::size_t>(readers::weights_bytes));
  const readers mapped = load(path_of("packed"));
  for (int i = 0; i < readers::count; ++i) CHECK(labels(loaded, i) == labels(mapped, i));
  REQUIRE(mapped.save_packed(path_of("packed").c_str()));  // onto the file that is mapped
  for (int i = 0; i < readers::count; ++i) CHECK(labels(loaded, i) == labels(mapped, i));
  CHECK(labels(load(path_of("packed")), 1) == labels(loaded, 1));

  const auto shared = narrow::share(mapped.weights());
  REQUIRE(shared);
  const auto workspace = narrow::workspace::make();
  REQUIRE(workspace);
  std::vector<float> out(11 * 20);
  REQUIRE((*shared)(*workspace, strip(20), out));
  CHECK(out == labels(loaded, 0));

  CHECK(std::string(narrow::share(tkl::packed_weights{}).error().message()) == "no weights were loaded");
  const tkl::packed_weights foreign(tkl::memory_block{}, narrow::layout_hash + 1, {});
  CHECK(std::string(narrow::share(foreign).error().message()) == "weights packed for another graph, target or version");
}

TEST_CASE("packed files that do not fit are refused") {
  REQUIRE(load(weights_file()).save_packed(path_of("packed").c_str()));
  const std::string damaged = path_of("damaged"), size = std::to_string(readers::weights_bytes);
  CHECK(fault_after([](auto& b) { b.resize(40); }) == damaged + ": a packed file of 40 bytes, its header has 64");
  CHECK(fault_after([](auto& b) { b[8] = std::byte{9}; }) == damaged + ": packed file of version 9, this is version 3");
  CHECK(fault_after([](auto& b) { b[12] = std::byte{80}; }) ==
        damaged + ": packed file with a header of 80 bytes, version 3 has 64");
  CHECK(fault_after([](auto& b) { b[15] = std::byte{255}; }) ==
        damaged + ": packed file with a header of 4278190144 bytes, version 3 has 64");
  CHECK(fault_after([](auto& b) { b[24] ^= std::byte{1}; }) == damaged + ": packed file with " +
                                                                   std::to_string(readers::weights_bytes ^ 1) +
                                                                   " bytes of weights, the model has " + size);
  CHECK(fault_after([](auto& b) { b[16] ^= std::byte{1}; }) ==
        damaged + ": packed for another graph, target or version: its layout hash differs");
  CHECK(fault_after([](auto& b) { b.pop_back(); }) == damaged + ": packed file of " +
                                                          std::to_string(readers::weights_bytes + 63) + " bytes, " +
                                                          std::to_string(readers::weights_bytes + 64) + " expected");
  const std::string nowhere = path_of("no/such/folder");
  CHECK(load(weights_file()).save_packed(nowhere.c_str()).message() == nowhere + ": cannot be written");
}

TEST_CASE("a weights file must hold the model's tensors, and no others unless that is asked for") {
  tkl::graph missing, shape, surplus = graph_of_narrow();
  for (const tkl::node& n : graph_of_narrow().nodes) {
    if (n.kind != tkl::op_kind::weight) continue;
    const std::string name(graph_of_narrow().name_at(n.name));
    if (name != "mix.weight") missing.weight(name, n.shape);
    shape.weight(name, name == "gate.weight" ? tkl::shape{16, 16} : n.shape);
  }
  surplus.weight("left.over", {3});
  const auto fault = [](const tkl::graph& g) {
    write(path_of("other"), tkl_test::random_weights_file(g));
    return fault_of(path_of("other"));
  };
  CHECK(fault(missing) == "tensor 'mix.weight': missing in the weights file");
  CHECK(fault(shape) == "tensor 'gate.weight': shape 16x16 in the file, the model has 16x16x1x1");
  CHECK(fault(surplus) ==
        "tensor 'left.over' of the weights file is not used by the model (allow_surplus would accept it)");
  CHECK(narrow::load(path_of("other").c_str(), {.allow_surplus = true}));
}

TEST_CASE("a shape number out of range is a status") {
  const readers loaded = load(weights_file());
  const auto workspace = readers::make_workspace();
  REQUIRE(workspace);
  std::vector<float> out(11 * 20);
  for (const volatile int index : {-1, 2})  // volatile: with a constant, g++ warns of the array access behind the check
    CHECK(std::string(loaded(index, *workspace, strip(20), out).message()) ==
          "shape number " + std::to_string(index) + " of a model with 2 shapes");
  CHECK(readers::smallest([](int columns) { return columns >= 21; }) == 1);
  CHECK(readers::smallest([](int columns) { return columns >= 34; }) == -1);
}
