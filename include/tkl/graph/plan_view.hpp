// SPDX-License-Identifier: Apache-2.0
// A plan as pointers and counts, whatever its capacity: what the validator, the reports and the drawings take.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/core/text.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {

struct tuned_record;

struct plan_view {
  const step* steps = nullptr;
  int step_count = 0;
  const edge* edges = nullptr;
  int edge_count = 0;
  const kernel_key* kernels = nullptr;  // may be null: then no step's kernel is looked up
  int kernel_count = 0;
  const step* stages = nullptr;  // of chains
  int stage_count = 0;
  const kernel_key* stage_kernels = nullptr;
  int stage_kernel_count = 0;
  /// The values: whatever has bytes and a lifetime of its own. Edges of one storage are the whole, parts and other
  /// shapes of one value. The result of a step that works in place is a storage of its own whose `root` is the one it
  /// takes over.
  const storage* storages = nullptr;
  int storage_count = 0;
  const std::int32_t* edge_storage = nullptr;  // one per edge
  const std::int16_t* inputs = nullptr;        // edge per input, in declared order
  int input_count = 0;
  const std::int16_t* outputs = nullptr;  // edge per output: all of it
  int output_count = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t weights_bytes = 0;
  std::int64_t lower_bound = 0;           // see arena_lower_bound; 0: not known
  const char* names = nullptr;            // zero-terminated texts
  std::string_view title{};               // of the whole plan, for reports
  const target_facts* facts = nullptr;    // of the target, where they are known
  const tuned_record* records = nullptr;  // of a tuned target: at least those that the steps' kernels name

  constexpr std::string_view name_at(std::int32_t offset) const {
    return offset < 0 || names == nullptr ? std::string_view{} : std::string_view(names + offset);
  }
  constexpr std::string_view name_of_edge(std::int32_t e) const { return name_at(edges[e].name); }
  constexpr std::string_view name_of_step(std::int32_t s) const { return name_at(steps[s].name); }
  /// The storage whose bytes a storage uses: itself, or the first of a chain of in-place steps.
  constexpr std::int32_t home_of(std::int32_t s) const {
    while (storages[s].root >= 0) s = storages[s].root;
    return s;
  }
};

/// The view of a program after all passes. The program must outlive it.
constexpr plan_view view_of(const program& p) {
  plan_view v;
  v.steps = p.steps.data(), v.step_count = static_cast<int>(p.steps.size());
  v.edges = p.edges.data(), v.edge_count = static_cast<int>(p.edges.size());
  v.kernels = p.keys.data(), v.kernel_count = static_cast<int>(p.keys.size());
  v.stages = p.stages.data(), v.stage_count = static_cast<int>(p.stages.size());
  v.stage_kernels = p.stage_keys.data(), v.stage_kernel_count = static_cast<int>(p.stage_keys.size());
  v.storages = p.storages.data(), v.storage_count = static_cast<int>(p.storages.size());
  v.edge_storage = p.edge_storage.data();
  v.inputs = p.inputs.data(), v.input_count = static_cast<int>(p.inputs.size());
  v.outputs = p.outputs.data(), v.output_count = static_cast<int>(p.outputs.size());
  v.arena_bytes = p.arena_bytes;
  v.weights_bytes = p.weights_bytes;
  v.lower_bound = p.lower_bound;
  v.names = p.names.data();
  return v;
}

/// How a step uses an edge.
enum class edge_role : std::uint8_t { in, weight, prologue_operand, operand };
inline constexpr int max_step_reads = step_inputs + 1 + prologue_operands + max_operands;

struct edge_use {
  std::int16_t edge = -1;
  edge_role role = edge_role::in;
  std::int8_t slot = 0;  // which of that role
};

/// The edges that a step reads, in the order inputs, weight, prologue operands, operands.
struct step_reads {
  edge_use at[max_step_reads]{};
  int count = 0;
  constexpr void push(int e, edge_role role, int slot) {
    if (e != -1) at[count++] = {static_cast<std::int16_t>(e), role, static_cast<std::int8_t>(slot)};
  }
};
constexpr step_reads reads_of(const step& s) {
  step_reads r;
  for (int i = 0; i < step_inputs; ++i) r.push(s.in[i], edge_role::in, i);
  r.push(s.weight, edge_role::weight, 0);
  for (int i = 0; i < prologue_operands; ++i) r.push(s.prologue_operand[i], edge_role::prologue_operand, i);
  for (int i = 0; i < max_operands; ++i) r.push(s.operand[i], edge_role::operand, i);
  return r;
}

constexpr std::string_view name_of(space s) {
  constexpr std::string_view names[] = {"none", "arena", "weights", "input", "output", "scratch"};
  return names[static_cast<int>(s)];
}

}  // namespace tkl
