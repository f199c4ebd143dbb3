// SPDX-License-Identifier: Apache-2.0
// Chains as calls of their stages' kernels: each call is the stage's step on edges that hold some of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/conv_chain.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/kernel.hpp>
#include <tkl/graph/chain.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Rows of one image of an edge.
inline edge rows_of(edge e, std::int64_t image, row_range rows) {
  const auto bytes = static_cast<std::int64_t>(size_of(e.type));
  e.offset += (image * e.stride[0] + rows.first * e.stride[1]) * bytes;
  e.extent[0] = 1;
  e.extent[1] = static_cast<std::int32_t>(rows.count());
  return e;
}

/// A stage's step on some rows, with edges of its own.
struct stage_rows {
  edge edges[4 + max_operands]{};
  step stage{};

  /// `edges_of_plan`: of the whole plan. `scratch_at`: bytes from the worker's scratch to the stage's own.
  TKL_COLD stage_rows(const step& s, const edge* edges_of_plan, const chain_call& call, bool last,
                      std::int64_t scratch_at)
      : stage(s) {
    std::int16_t count = 0;
    const auto add = [&](std::int16_t& number, const edge& e) {
      edges[count] = e;
      number = count++;
    };
    const auto held = [&](std::int16_t number, std::int64_t offset, row_range rows) {
      edge e = rows_of(edges_of_plan[number], 0, {0, rows.count()});
      e.where = space::scratch;
      e.offset = offset;
      return e;
    };
    add(stage.in[0],
        call.stage == 0 ? rows_of(edges_of_plan[s.in[0]], call.image, call.in) : held(s.in[0], call.in_at, call.in));
    add(stage.out, last ? rows_of(edges_of_plan[s.out], call.image, call.out) : held(s.out, call.out_at, call.out));
    add(stage.weight, edges_of_plan[s.weight]);
    for (std::int16_t& e : stage.operand)
      if (e >= 0) add(e, rows_of(edges_of_plan[e], call.image, call.out));
    edge scratch;
    scratch.where = space::scratch;
    scratch.offset = scratch_at;
    add(stage.scratch, scratch);
    stage.parameters.pad[0] = static_cast<std::int32_t>(call.pad);
  }
};

}  // namespace impl

/// Runs a stage's rows; another context may look the kernel up elsewhere.
template <class X>
void run_stage(const step& s, const run_context<serial>& rows, const run_context<X>& c) {
  c.stage_kernels[s.kernel](s, rows);
}

template <>
struct kernel<algorithm::conv_chain> : no_scratch {  // what its stages need is counted where the plan is made
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    const chain_rows chain = chain_of(s, c.stages, c.edges);
    const std::int64_t windows = chain.bytes();
    conv_chain(chain, c.edges[s.out].extent[0], c.executor, c.scratch(s), c.edges[s.scratch].extent[3],
               [&](const chain_call& call, std::byte* own) {
                 const impl::stage_rows rows(c.stages[s.stage + call.stage], c.edges, call,
                                             call.stage + 1 == chain.stages, windows);
                 run_stage(rows.stage, {rows.edges, c.inputs, c.outputs, c.arena, c.weights, own}, c);
               });
  }
};

TKL_ISA_END
}  // namespace tkl
