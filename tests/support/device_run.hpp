// SPDX-License-Identifier: Apache-2.0
// A graph planned at run time for a device of work items, with its weights; and what a device makes of it.
#pragma once

#include <string>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <utility>
#include <vector>

#include "support/graph_run.hpp"

namespace tkl_test {

/// What a graph gives on the device.
struct device_run {
  std::string refused{};  // why the target has no kernels, else empty
  std::string error{};
  std::vector<std::vector<double>> outputs{};
  bool good() const { return refused.empty() && error.empty(); }
};

/// Sees nothing of a run.
struct unwatched {
  template <class F>
  void before(const tkl::program&, int, F) {}
  template <class F>
  void after(int, F) {}
};

/// The plan of a graph for a target, and weights in its layout: random ones, or those of a file in memory.
template <class Target>
struct planned_graph {
  device_run run{};  // errors and refusals so far
  tkl::program program;
  tkl::packed_weights weights{};

  explicit planned_graph(const tkl::graph& g) : planned_graph(g, random_weights_file(g)) {}
  planned_graph(const tkl::graph& g, const std::vector<std::byte>& file)
      : program(
            tkl::make_program(g, Target::facts(), [](const tkl::step&, const tkl::edge*) { return std::int64_t{0}; })) {
    const tkl::program& p = program;
    run.error = p.error.c_str();
    if (!run.error.empty()) return;
    for (const tkl::step& s : p.steps) {
      run.refused = Target::unsupported(s, p.keys[static_cast<std::size_t>(s.kernel)], p.edges.data());
      if (!run.refused.empty()) return;
    }
    const auto tensors = tkl::safetensors::from_memory(file);
    const tkl::load_view load{p.loads.data(),
                              static_cast<int>(p.loads.size()),
                              p.folds.data(),
                              p.packed.data(),
                              static_cast<int>(p.packed.size()),
                              p.names.data(),
                              p.weights_bytes,
                              Target::facts().panel,
                              Target::facts().width,
                              0,
                              tkl::real_functions<>};
    auto packed = tkl::pack_weights(load, *tensors, {.allow_surplus = true});
    run.error = packed.error().message();
    if (packed) weights = std::move(*packed);
  }

  tkl::device_plan plan(const tkl::work_item_schedule& schedule) const {
    const tkl::program& p = program;
    return {p.steps.data(),
            static_cast<int>(p.steps.size()),
            p.edges.data(),
            p.keys.data(),
            static_cast<int>(p.keys.size()),
            p.inputs.data(),
            static_cast<int>(p.inputs.size()),
            p.outputs.data(),
            static_cast<int>(p.outputs.size()),
            p.arena_bytes,
            p.weights_bytes,
            p.names.data(),
            schedule};
  }
};

}  // namespace tkl_test
