// SPDX-License-Identifier: Apache-2.0
// The CPU as a target of plans: an architecture and an executor.
#pragma once

#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/kernels.hpp>
#include <tkl/graph/program.hpp>
#include <tkl/target/cpu.hpp>

#include <cstdint>

namespace tkl {
TKL_ISA_BEGIN

/// Target of compile<Model, cpu<Arch, Executor>>. `Arch`: a tag of arch/ that the unit's flags allow; arch::native is the
/// best of them. `Executor`: serial, openmp, or the user's own (see exec/executor.hpp).
template <class Arch = arch::native, class Executor = serial>
struct cpu {
  using arch_type = Arch;
  using executor_type = Executor;
  using machine = cpu_machine<Arch>;

  static constexpr target_facts facts() {
    target_facts f;
    f.width = Arch::width_f32;
    f.panel = Arch::conv.nr * Arch::width_f32;
    f.rows = Arch::conv.mr;
    f.l1_bytes = static_cast<std::int32_t>(Arch::cache.l1);
    return f;
  }

  /// Scratch that a step's kernel needs for each worker.
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* edges) {
    return step_scratch_bytes<Arch, machine>(s, edges);
  }

  /// The one function of a kernel key.
  template <kernel_key K>
  static void run(const step& s, const run_context<Executor>& c) {
    kernel<K.algorithm>::template run<K, Arch, machine>(s, c);
  }
};

TKL_ISA_END
}  // namespace tkl
