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
#include "support/half_weights_run.hpp"

namespace tkl_test {

struct planned_run {
  std::string error{};
  std::vector<std::vector<double>> outputs{};
  tkl::program program{};
};

/// The reference machine with weights of type `packed` (f32, or 16 bits and then without Winograd's algorithm, whose
/// choice depends on the type).
inline tkl::target_facts facts_with(tkl::element packed, bool winograd) {
  tkl::target_facts facts = tkl::plan_interpreter::facts();
  facts.winograd = winograd;
  facts.packed = packed;
  facts.wide_biases = true;
  return facts;
}

/// The passes for the reference machine with other facts.
inline tkl::program planned_with(const tkl::graph& g, const tkl::target_facts& facts) {
  return tkl::make_program(
      g, facts, [](const tkl::step& s, const tkl::edge* e) { return tkl::plan_interpreter::scratch_bytes(s, e); });
}

/// What loading needs of a program of the reference machine.
inline tkl::load_view loading_of(const tkl::program& p) {
  return {p.loads.data(),
          static_cast<int>(p.loads.size()),
          p.folds.data(),
          p.packed.data(),
          static_cast<int>(p.packed.size()),
          p.names.data(),
          p.weights_bytes,
          tkl::plan_interpreter::facts().panel,
          tkl::plan_interpreter::facts().width,
          0,
          tkl::real_functions<>,
          tkl::f32,
          true};
}

/// All passes, the validator, then the plan in its arena, poisoned before each step's write. `rounded`: with the values
/// that weights have in a type of 16 bits.
inline planned_run run_planned(const tkl::graph& g, const graph_inputs& in, const tkl::target_facts& facts,
                               tkl::element rounded = tkl::f32) {
  using interpreter = tkl::plan_interpreter;
  planned_run r;
  r.program = planned_with(g, facts);
  const tkl::program& p = r.program;
  if (!p.error.empty()) {
    r.error = p.error.c_str();
    return r;
  }
  if (const tkl::status s = tkl::validate(tkl::view_of(p)); !s) {
    r.error = s.message();
    return r;
  }
  const tkl::load_view load = loading_of(p);
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
  std::vector<std::byte> values(weights->data(), weights->data() + p.weights_bytes);
  if (rounded != tkl::f32) {
    const tkl::program narrow = planned_with(g, facts_with(rounded, false));
    r.error = narrow.error.empty() ? tkl::validate(tkl::view_of(narrow)).message() : narrow.error.c_str();
    if (!r.error.empty()) return r;
    const auto packed = tkl::pack_weights(loading_of(narrow), *tensors, {.allow_surplus = true});
    r.error = packed ? take_narrow_weights(load, loading_of(narrow), packed->data(), values) : packed.error().message();
    if (!r.error.empty()) return r;
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
  const interpreter machine(p, values.data());
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

inline planned_run run_planned(const tkl::graph& g, const graph_inputs& in, tkl::element rounded = tkl::f32,
                               bool winograd = true) {
  return run_planned(g, in, facts_with(tkl::f32, winograd && rounded == tkl::f32), rounded);
}

}  // namespace tkl_test
