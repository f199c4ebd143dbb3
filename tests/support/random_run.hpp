// SPDX-License-Identifier: Apache-2.0
// Runs a graph twice: node by node without any pass, and as a plan inside its arena.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <tkl/graph/passes/pipeline.hpp>
#include <tkl/graph/plan_interpreter.hpp>
#include <tkl/graph/validate.hpp>
#include <vector>

#include "support/graph_run.hpp"

namespace tkl_test {

struct planned_run {
  std::string error{};
  std::vector<std::vector<double>> outputs{};
  tkl::program program{};
};

/// All passes, the validator, then the plan in its arena, poisoned before each step's write.
inline planned_run run_planned(const tkl::graph& g, const graph_inputs& in,
                               const tkl::target_facts& facts = tkl::plan_interpreter::facts()) {
  using interpreter = tkl::plan_interpreter;
  planned_run r;
  r.program = tkl::make_program(
      g, facts, [](const tkl::step& s, const tkl::edge* e) { return interpreter::scratch_bytes(s, e); });
  const tkl::program& p = r.program;
  if (!p.error.empty()) {
    r.error = p.error.c_str();
    return r;
  }
  if (const tkl::status s = tkl::validate(tkl::view_of(p)); !s) {
    r.error = s.message();
    return r;
  }
  const tkl::load_view load{p.loads.data(),
                            static_cast<int>(p.loads.size()),
                            p.folds.data(),
                            p.packed.data(),
                            static_cast<int>(p.packed.size()),
                            p.names.data(),
                            p.weights_bytes,
                            facts.panel,
                            facts.width,
                            0,
                            tkl::real_functions<>};
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  if (!tensors) {
    r.error = tensors.error().message();
    return r;
  }
  const auto weights = tkl::pack_weights(load, *tensors, {.allow_surplus = true});
  if (!weights) {
    r.error = weights.error().message();
    return r;
  }
  const auto arena = tkl::memory_block::allocate(p.arena_bytes, false);
  if (!arena) {
    r.error = arena.error().message();
    return r;
  }
  std::memset(static_cast<void*>(arena->data()), 0xff, static_cast<std::size_t>(p.arena_bytes));
  std::vector<std::vector<std::byte>> outputs = output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  const interpreter machine(p, weights->data());
  for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) {
    machine.poison(i, arena->data(), pointers.data());
    if (!machine.run_step(i, arena->data(), in.pointers.data(), pointers.data())) {
      r.error = "step " + std::to_string(i) + " has element types without a kernel";
      return r;
    }
  }
  for (std::size_t o = 0; o < outputs.size(); ++o)
    r.outputs.push_back(widened(outputs[o], g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type));
  return r;
}

}  // namespace tkl_test
