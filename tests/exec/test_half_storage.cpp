// SPDX-License-Identifier: Apache-2.0
// Half storage on the CPU: f16 and bf16 between steps and in packed weights.
#include <doctest/doctest.h>

#include <string>
#include <tkl/cpu.hpp>
#include <vector>

#include "support/graph_run.hpp"

namespace {

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 4});
    auto y = tkl::relu(tkl::conv2d(x, g.weight("w", {8, 4, 3, 3}), g.weight("b", {8}), {.pad = 1}));
    y = tkl::silu(tkl::conv2d(y, g.weight("d", {8, 1, 3, 3}), {.pad = 1, .groups = 8})) + y;
    g.output(tkl::softmax(tkl::linear(tkl::global_average_pool(y), g.weight("v", {5, 8}))));
  }
};
using full = tkl::compile<model, tkl::cpu<>>;

template <tkl::element Type>
void check(double tolerance) {
  using net = tkl::compile<model, tkl::half_storage<tkl::cpu<>, Type>>;
  static_assert(net::steps == full::steps && net::weights_bytes < full::weights_bytes && net::bytes < full::bytes);
  CHECK(net::plan_edges()[net::plan_steps()[1].in[0]].type == Type);
  CHECK(net::plan_edges()[net::plan_steps()[1].weight].type == Type);
  tkl::graph g;
  tkl::build_model<model>(g);
  const tkl_test::graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = tkl_test::run_unoptimised(g, inputs);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto loaded = net::load(*tensors);
  REQUIRE(loaded.ok());
  const auto memory = net::workspace::make();
  REQUIRE(memory.ok());
  std::vector<std::vector<std::byte>> outputs = tkl_test::output_buffers(g);
  void* const to[] = {outputs[0].data()};
  REQUIRE(loaded->run(*memory, inputs.pointers.data(), to).ok());
  const std::string difference = tkl_test::compare(expected[0], tkl_test::widened(outputs[0], tkl::f32), tolerance);
  CHECK(difference == "");
}

TEST_CASE("results agree within a few roundings to the stored type") {
  check<tkl::f16>(4.0 / 2048);
  check<tkl::bf16>(4.0 / 256);
}

}  // namespace
