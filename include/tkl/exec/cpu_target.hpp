// SPDX-License-Identifier: Apache-2.0
// The CPU as a target: an architecture, who runs the parts of a kernel, and the caller's scratch memory.
#pragma once

#include <cstdint>
#include <tkl/arch/native.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/scratch_memory.hpp>
#include <tkl/target/cpu.hpp>

namespace tkl {

struct step;
struct edge;
struct target_facts;

TKL_ISA_BEGIN

template <class X>
struct run_context;

/// Target of assign() and of compile<Model, cpu<Arch, Executor>>. `Arch`: a tag of arch/ that the unit's flags allow;
/// arch::native is the best of them. `Executor`: serial, openmp, or the user's own (exec/executor.hpp). Scratch memory
/// is for assign(): scratch_bytes() says how much an expression needs.
template <class Arch = arch::native, class Executor = serial>
struct cpu {
  using arch_type = Arch;
  using executor_type = Executor;
  using machine = cpu_machine<Arch>;

  Executor executor{};
  scratch_memory scratch{};

  constexpr cpu() = default;
  constexpr explicit cpu(scratch_memory memory) : scratch(memory) {}
  constexpr explicit cpu(const Executor& x, scratch_memory memory = {}) : executor(x), scratch(memory) {}

  // For plans; defined in exec/cpu.hpp, with the kernels.
  static constexpr target_facts facts();
  /// Scratch that a step's kernel needs for each worker.
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* edges);
  /// The one function of a kernel key. Stages of chains run by X = serial.
  template <auto Key, class X>
  static void run(const step& s, const run_context<X>& c);
};

TKL_ISA_END
}  // namespace tkl
