// SPDX-License-Identifier: Apache-2.0
// The CPU as a target of plans: its facts, and the kernels of its steps.
#pragma once

#include <cstdint>
#include <tkl/exec/cpu_target.hpp>
#include <tkl/exec/kernels.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class Arch, class Executor>
constexpr target_facts cpu<Arch, Executor>::facts() {
  target_facts f;
  f.width = Arch::width_f32;
  f.panel = Arch::conv.nr * Arch::width_f32;
  f.rows = Arch::conv.mr;
  f.l1_bytes = static_cast<std::int32_t>(Arch::cache.l1);
  f.l2_bytes = static_cast<std::int32_t>(Arch::cache.l2);
  f.block_rows = static_cast<std::int32_t>(block_rows(Arch::conv.gemm(), 1));
  f.winograd = true;
  f.wide_biases = true;
  f.chains = true;
  f.writes_outputs = true;
  return f;
}

template <class Arch, class Executor>
constexpr std::int64_t cpu<Arch, Executor>::scratch_bytes(const step& s, const edge* edges) {
  return step_scratch_bytes<Arch, machine>(s, edges);
}

template <class Arch, class Executor>
template <auto Key, class X>
void cpu<Arch, Executor>::run(const step& s, const run_context<X>& c) {
  kernel<Key.algorithm>::template run<Key, Arch, machine>(s, c);
}

TKL_ISA_END
}  // namespace tkl
