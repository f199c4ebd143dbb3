// SPDX-License-Identifier: Apache-2.0
// Running a plan: the loop over its steps, the memory of one caller, the checks before the first step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/arguments.hpp>
#include <tkl/exec/memory_block.hpp>
#include <tkl/exec/run_context.hpp>
#include <tkl/graph/plan.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// A compiled plan as data: what compile<Model, Target> and buckets hand to the functions below.
template <class X>
struct plan_reference {
  using kernel_function = void (*)(const step&, const run_context<X>&);
  const step* steps = nullptr;
  int step_count = 0;
  const edge* edges = nullptr;
  int edge_count = 0;
  const std::int16_t* inputs = nullptr;
  int input_count = 0;
  const std::int16_t* outputs = nullptr;
  int output_count = 0;
  std::int64_t arena_bytes = 0;
  const char* names = nullptr;
  const kernel_function* kernels = nullptr;
  const step* stages = nullptr;
  const stage_function* stage_kernels = nullptr;

  constexpr const edge& input(int i) const { return edges[inputs[i]]; }
  constexpr const edge& output(int i) const { return edges[outputs[i]]; }
};

/// Bytes of scratch for several workers: the largest step's, once per worker. One worker uses the arena's.
template <class X>
constexpr std::int64_t worker_scratch_bytes(const plan_reference<X>& p, int workers) {
  std::int64_t most = 0;
  for (int i = 0; workers > 1 && i < p.step_count; ++i) {
    const std::int16_t e = p.steps[i].scratch;
    if (e >= 0 && p.edges[e].extent[3] > most) most = p.edges[e].extent[3];
  }
  return most * workers;
}

/// Memory of one caller: the arena, and the scratch of further workers. Not shared between threads; any model whose
/// needs it covers may use it, one at a time.
class arena_workspace {
 public:
  static result<arena_workspace> make(std::int64_t arena_bytes, std::int64_t scratch_bytes) {
    result<memory_block> arena = memory_block::allocate(arena_bytes, false);
    if (!arena) return arena.error();
    result<memory_block> scratch = memory_block::allocate(scratch_bytes, false);
    if (!scratch) return scratch.error();
    return arena_workspace(std::move(*arena), std::move(*scratch));
  }
  std::byte* arena() const { return arena_.data(); }
  std::byte* scratch() const { return scratch_.data(); }
  std::int64_t arena_bytes() const { return arena_.bytes(); }
  std::int64_t scratch_bytes() const { return scratch_.bytes(); }

 private:
  arena_workspace(memory_block arena, memory_block scratch) : arena_(std::move(arena)), scratch_(std::move(scratch)) {}
  memory_block arena_, scratch_;
};

/// One workspace for several models that run one after another: as large as the largest of them needs.
template <class... Models>
result<arena_workspace> shared_workspace(int workers = 1) {
  std::int64_t arena = 0, scratch = 0;
  const auto cover = [&](std::int64_t a, std::int64_t s) {
    if (a > arena) arena = a;
    if (s > scratch) scratch = s;
  };
  (cover(Models::arena_bytes, Models::scratch_bytes(workers)), ...);
  return arena_workspace::make(arena, scratch);
}

/// Runs one step; checks nothing.
template <class X>
void run_step(const plan_reference<X>& p, int index, const std::byte* weights, const arena_workspace& w,
              const void* const* in, void* const* out, const X& executor) {
  const run_context<X> c{p.edges, in, out, w.arena(), weights, w.scratch(), executor, p.stages, p.stage_kernels};
  const step& s = p.steps[index];
  p.kernels[s.kernel](s, c);
}

/// Runs all steps on untyped buffers of the model's types and sizes. Fails before the first step when the workspace is
/// too small, a buffer is null or misaligned, or an output overlaps something.
template <class X>
status run_plan(const plan_reference<X>& p, const std::byte* weights, const arena_workspace& w, const void* const* in,
                void* const* out, const X& executor) {
  message_text m;
  if (w.arena_bytes() < p.arena_bytes)
    return status::failure(m << "workspace of " << w.arena_bytes() << " bytes, the model needs " << p.arena_bytes);
  const std::int64_t scratch = worker_scratch_bytes(p, executor.workers());
  if (w.scratch_bytes() < scratch)
    return status::failure(m << "workspace with " << w.scratch_bytes() << " bytes of scratch, " << executor.workers()
                             << " workers need " << scratch);
  for (int i = 0; i < p.input_count; ++i)
    if (status s = detail::check_address("input", p.names, p.input(i), in[i]); !s) return s;
  for (int i = 0; i < p.output_count; ++i)
    if (status s = detail::check_address("output", p.names, p.output(i), out[i]); !s) return s;
  if (status s = check_overlap(p.edges, p.inputs, p.input_count, p.outputs, p.output_count, p.names, in, out, w.arena(),
                               w.arena_bytes());
      !s)
    return s;
  const run_context<X> c{p.edges, in, out, w.arena(), weights, w.scratch(), executor, p.stages, p.stage_kernels};
  for (int i = 0; i < p.step_count; ++i) p.kernels[p.steps[i].kernel](p.steps[i], c);
  return {};
}

inline constexpr int max_arguments = 64;

/// The same with typed buffers, inputs then outputs, which are checked against the plan first.
template <class X>
status run_checked(const plan_reference<X>& p, const std::byte* weights, const arena_workspace& w,
                   const buffer_argument* all, const X& executor) {
  const void* in[max_arguments]{};
  void* out[max_arguments]{};
  for (int i = 0; i < p.input_count; ++i) {
    if (status s = detail::check_argument("input", p.names, p.input(i), all[i], false); !s) return s;
    in[i] = all[i].data;
  }
  for (int i = 0; i < p.output_count; ++i) {
    const buffer_argument& b = all[p.input_count + i];
    if (status s = detail::check_argument("output", p.names, p.output(i), b, true); !s) return s;
    out[i] = const_cast<void*>(b.data);
  }
  return run_plan(p, weights, w, in, out, executor);
}

TKL_ISA_END
}  // namespace tkl
