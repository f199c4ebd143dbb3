// SPDX-License-Identifier: Apache-2.0
// What compiled models have in common on all devices that run algorithms of work items: constants, what loading needs,
// the plan, and the check of a caller's buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/exec/arguments.hpp>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/exec/run_plan.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/supports.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// The host's buffers of a run.
struct host_buffers {
  const void* in[max_arguments]{};
  void* out[max_arguments]{};

  /// Takes the buffers of a plan, inputs first. Fails when one is null, misaligned, or of another type or size.
  template <std::size_t Count>
  status gather(const device_plan& p, const buffer_argument (&all)[Count]) {
    for (int i = 0; i < p.input_count + p.output_count; ++i) {
      const bool reads = i < p.input_count;
      const edge& e = reads ? p.input(i) : p.output(i - p.input_count);
      const char* kind = reads ? "input" : "output";
      if (status s = detail::check_argument(kind, p.names, e, all[i], !reads); !s) return s;
      if (status s = detail::check_address(kind, p.names, e, all[i].data); !s) return s;
      if (reads) in[i] = all[i].data;
      if (!reads) out[i - p.input_count] = const_cast<void*>(all[i].data);
    }
    return {};
  }
};

/// Constants as of compile<Model, cpu<>>.
template <class Model, class Target>
class device_compile {
 protected:
  using compiled = impl::compiled_plan<Model, Target>;
  static_assert(compiled::sound);
  static_assert(checked_support<Model, Target>::sound);
  static constexpr plan_counts counts = compiled::first.counts;
  static constexpr plan_facts<counts> facts = compiled::frozen.facts;

 public:
  using target = Target;
  static constexpr int steps = counts.steps;
  static constexpr int kernels = counts.keys;
  static constexpr int buffers = counts.buffers;
  static constexpr int inputs = counts.inputs;
  static constexpr int outputs = counts.outputs;
  static constexpr std::int64_t arena_bytes = facts.arena_bytes;
  static constexpr std::int64_t lower_bound = facts.lower_bound;
  static constexpr std::int64_t weights_bytes = facts.weights_bytes;
  static constexpr std::int64_t flops = facts.flops;
  static constexpr std::int64_t bytes_written = facts.bytes_written;
  static constexpr std::int64_t bytes = facts.bytes_read + bytes_written;
  static constexpr int conversions = facts.conversions;

  /// What loading needs: names, folds, packed layout.
  static constexpr load_view loading() {
    load_view v{compiled::load.loads.data(),
                counts.loads,
                compiled::load.folds.data(),
                compiled::load.packed.data(),
                counts.packed,
                compiled::names.data(),
                weights_bytes,
                target::facts().panel,
                target::facts().width,
                0};
    v.layout_hash = hash_layout(v);
    v.functions = real_functions<functions_called(compiled::load.loads.data(), counts.loads)>;
    return v;
  }

  static constexpr device_plan plan() {
    return {compiled::plan.steps.data(),
            steps,
            compiled::plan.edges.data(),
            compiled::keys.data(),
            kernels,
            compiled::plan.inputs.data(),
            inputs,
            compiled::plan.outputs.data(),
            outputs,
            arena_bytes,
            weights_bytes,
            compiled::names.data(),
            target::items};
  }

 protected:
  /// Fails when a buffer is null, misaligned, or of another type or size.
  template <class... Buffers>
  static status gather(host_buffers& b, Buffers&&... buffers) {
    static_assert(inputs <= max_arguments && outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    return b.gather(plan(), all);
  }
};

TKL_ISA_END
}  // namespace tkl
