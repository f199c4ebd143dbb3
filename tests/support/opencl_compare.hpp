// SPDX-License-Identifier: Apache-2.0
// Compiles models for OpenCL, runs them on the first device, and compares with the unoptimised graph in double precision.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <tkl/opencl.hpp>
#include <utility>
#include <vector>

#include "support/random_run.hpp"
#include "support/skip.hpp"

namespace tkl_test {

/// The one context of a test program; a program without a device is skipped.
inline const tkl::opencl_context& opencl_device() {
  static const tkl::opencl_context context = [] {
    tkl::result<tkl::opencl_context> c = tkl::opencl_context::make();
    if (!c) tkl::test::skip(c.error().message());
    return std::move(*c);
  }();
  return context;
}

/// Compares Model on the device with its unoptimised graph. `slack`: how much more than the CPU's tolerance.
template <class Model, class Target = tkl::opencl<>>
void check_opencl(double slack = 2) {
  using net = tkl::compile<Model, Target>;
  tkl::graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = net::load(opencl_device(), *tensors, {.allow_surplus = true});
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

}  // namespace tkl_test
