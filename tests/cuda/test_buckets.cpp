// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/buckets.hpp on the simulated GPU; and what the shapes allocate.
#include "support/cuda_compare.hpp"
#include "work_items/buckets.hpp"

namespace {

int allocations() {
  return cuda_cpu::sim().called["cudaMalloc"];
}

TEST_CASE("weights are uploaded once, a caller has one arena for all shapes and places of its own for each") {
  tkl::graph g;
  tkl::build_model<strip<8>>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  int before = allocations();
  auto model = strips::load(tkl_test::device(), *tensors);
  REQUIRE(model.ok());
  CHECK(allocations() == before + strips::count);
  before = allocations();
  const auto memory = strips::workspace::make(*model);
  REQUIRE(memory.ok());
  CHECK(allocations() == before + 1 + strips::count);
  CHECK(memory->shape(0).input(0) != memory->shape(1).input(0));
  // A workspace keeps the weights of all shapes alive.
  model = tkl::status::failure(tkl::message_text("gone"));
  std::vector<std::uint8_t> picture(6 * 32 * 3);
  std::vector<float> out(16 * 5);
  const void* const in[] = {picture.data()};
  void* const to[] = {out.data()};
  const std::string message = memory->shape(2).run(in, to).message();
  CHECK(message == "");
  float sum = 0;
  for (int i = 0; i < 5; ++i) sum += out[static_cast<std::size_t>(i)];
  CHECK(sum == doctest::Approx(1));
}

}  // namespace
