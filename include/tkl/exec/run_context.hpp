// SPDX-License-Identifier: Apache-2.0
// What a step needs while it runs: where the spaces of its edges lie, and who runs its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/code.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class X>
struct run_context;

/// The kernel of a chain's stage: a worker runs its rows alone.
using stage_function = void (*)(const step&, const run_context<serial>&);

/// One run of a model: its edges, the caller's buffers, the arena, the packed weights, the executor.
template <class X>
struct run_context {
  const edge* edges = nullptr;
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  std::byte* arena = nullptr;
  const std::byte* weights = nullptr;
  std::byte* worker_scratch = nullptr;  // scratch of all workers, used instead of the arena's when there are several
  X executor{};
  const step* stages = nullptr;  // of chains
  const stage_function* stage_kernels = nullptr;

  /// Address of an edge's first element; null for no edge. Only arena and output edges may be written.
  std::byte* address(std::int16_t e) const {
    if (e < 0) return nullptr;
    const edge& x = edges[e];
    switch (x.where) {
      case space::arena:
        return arena + x.offset;
      case space::weights:
        return const_cast<std::byte*>(weights) + x.offset;
      case space::input:
        return const_cast<std::byte*>(static_cast<const std::byte*>(inputs[x.index])) + x.offset;
      case space::output:
        return static_cast<std::byte*>(outputs[x.index]) + x.offset;
      case space::scratch:
        return worker_scratch + x.offset;
      case space::none:
        return nullptr;
    }
    return nullptr;
  }
  template <class T>
  T* data(std::int16_t e) const {
    return reinterpret_cast<T*>(address(e));
  }
  /// Scratch of a step: one part per worker.
  std::byte* scratch(const step& s) const { return executor.workers() > 1 ? worker_scratch : address(s.scratch); }
};

/// Operand slots of an expression: addresses and strides of edges, literals, axes of indices.
template <class X>
operand_values operands_of(const expr_code& code, const std::int16_t* operand, const float* literal,
                           const run_context<X>& c) {
  operand_values v;
  int slot = 0;
  for (int i = 0; i < code.size; ++i) {
    if (!code.at[i].has_operand()) continue;
    operand_value& o = v.slot[slot];
    if (operand[slot] < 0) {
      o.value = literal[slot];
      if (code.at[i].kind() == leaf_kind::index) o.inner = static_cast<std::int64_t>(literal[slot]);
    } else {
      const edge& e = c.edges[operand[slot]];
      o.data = c.address(operand[slot]);
      for (int k = 0; k < 3; ++k) o.stride[k] = e.stride[k];
      o.inner = e.stride[3];
    }
    ++slot;
  }
  return v;
}

TKL_ISA_END
}  // namespace tkl
