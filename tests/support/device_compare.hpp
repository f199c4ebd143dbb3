// SPDX-License-Identifier: Apache-2.0
// Compares models and graphs on a device with the unoptimised graph in double precision. The device is one of
// opencl_compare.hpp and cuda_compare.hpp: device(), device_target, run_on_device<Schedule, Target>(graph, inputs).
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/device_run.hpp"
#include "support/step_compare.hpp"

namespace tkl_test {

inline constexpr tkl::work_item_schedule default_schedule = device_target::items;

/// Compares Model on the device with its unoptimised graph. `slack`: how much more than the CPU's tolerance.
template <class Model, class Target = device_target>
void check_device(double slack = 2) {
  using net = tkl::compile<Model, Target>;
  tkl::graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = net::load(device(), *tensors, {.allow_surplus = true});
  const std::string loaded = model.error().message();
  REQUIRE(loaded == "");
  const auto workspace = net::workspace::make(*model);
  const std::string made = workspace.error().message();
  REQUIRE(made == "");
  std::vector<std::vector<std::byte>> outputs = output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  for (int run = 0; run < 2; ++run) {  // twice: the inputs must survive, the arena must not matter
    const std::string message = model->run(*workspace, inputs.pointers.data(), pointers.data()).message();
    REQUIRE(message == "");
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      CAPTURE(o);
      const tkl::element type = g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type;
      const std::string difference = compare(expected[o], widened(outputs[o], type), slack * tolerance_of(g));
      CHECK(difference == "");
    }
  }
}

/// Compares a graph made at run time with its unoptimised self. Empty, or why the target has no kernels for it.
template <tkl::work_item_schedule S = default_schedule, class Target = device_target>
std::string check_device_graph(const tkl::graph& g, double slack = 2) {
  const std::string mistake = g.error.c_str();
  REQUIRE(mistake == "");
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const device_run run = run_on_device<S, Target>(g, inputs.pointers);
  REQUIRE(run.error == "");
  if (!run.refused.empty()) return run.refused;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    CAPTURE(o);
    const std::string difference = compare(expected[o], run.outputs[o], slack * tolerance_of(g));
    CHECK(difference == "");
  }
  return {};
}

}  // namespace tkl_test
