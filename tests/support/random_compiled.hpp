// SPDX-License-Identifier: Apache-2.0
// Compiles models, and the random graphs of consecutive seeds, for the CPU and compares each with the unoptimised
// graph.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tkl/cpu.hpp>
#include <utility>
#include <vector>

#include "support/arena_limit.hpp"
#include "support/random_run.hpp"

namespace tkl_test {

/// Compiles a model for a CPU target and compares it, with random inputs and weights, with its unoptimised graph.
template <class Model, class Target = tkl::cpu<>>
void check_compiled() {
  using net = tkl::compile<Model, Target>;
  CHECK(net::arena_bytes <= arena_limit(net::lower_bound, net::buffers));
  tkl::graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = net::load(*tensors, {.allow_surplus = true});
  REQUIRE(model.ok());
  const auto workspace = net::workspace::make();
  REQUIRE(workspace.ok());
  std::vector<std::vector<std::byte>> outputs = output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  for (int run = 0; run < 2; ++run) {  // twice: the inputs must survive, the arena must not matter
    const tkl::status s = model->run(*workspace, inputs.pointers.data(), pointers.data());
    const std::string message = s.message();
    REQUIRE(message == "");
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      CAPTURE(o);
      const tkl::element type = g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type;
      const std::string difference = compare(expected[o], widened(outputs[o], type), 2 * tolerance_of(g));
      REQUIRE(difference == "");
    }
  }
}

template <std::uint32_t Seed>
void check_seed() {
  CAPTURE(Seed);
  check_compiled<random_model<Seed>>();
}

template <std::uint32_t First, std::uint32_t... I>
void check_range(std::integer_sequence<std::uint32_t, I...>) {
  (check_seed<First + I>(), ...);
}

}  // namespace tkl_test
