// SPDX-License-Identifier: Apache-2.0
// The result of the passes for one model and target, made by the compiler and frozen into constants; and what compiled
// models for all targets say of themselves.
#pragma once

#include <cstdint>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <tkl/graph/plan_data.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

template <class Model, class Target>
constexpr program program_of() {
  graph g;
  build_model<Model>(g);
  const auto scratch_bytes = [](const step& s, const edge* e) { return Target::scratch_bytes(s, e); };
  if constexpr (requires(program & p) { Target::use_records(p); }) {
    program p = make_program(std::move(g), Target::facts(), scratch_bytes);
    Target::use_records(p);
    return p;
  } else {
    return make_program(std::move(g), Target::facts(), scratch_bytes);
  }
}

/// The frozen results of the passes for one model and target.
template <class Model, class Target>
struct compiled_plan {
  struct first_run {
    text<240> mistake{};
    plan_counts counts{};
    frozen_program<usual_counts> frozen{};
  };
  static constexpr first_run first = [] {
    const program p = program_of<Model, Target>();
    first_run r{p.error, counts_of(p), nothing_frozen<usual_counts>};
    if (fits(r.counts, usual_counts)) r.frozen = freeze<usual_counts>(p);
    return r;
  }();
  static constexpr text<240> mistake = first.mistake;
  static constexpr bool sound = no_mistake<compiled_plan>::value;
  static constexpr frozen_program<first.counts> frozen = [] {
    if constexpr (fits(first.counts, usual_counts)) {
      return shrink<first.counts>(first.frozen);
    } else {
      return freeze<first.counts>(program_of<Model, Target>());
    }
  }();
  // Separate objects, so that what only the compiler needs does not reach the object file.
  static constexpr plan_data<first.counts> plan = frozen.plan;
  static constexpr load_data<first.counts> load = frozen.load;
  static constexpr auto names = frozen.names;
  static constexpr auto keys = frozen.facts.keys;
};

}  // namespace impl

/// What every compiled model says of itself, whatever runs it.
///
/// Constants: steps, kernels, arena_bytes, lower_bound (of the arena), weights_bytes, flops, bytes (read and written
/// per run, without weights), bytes_written, conversions (steps that only move data between layouts), buffers.
template <class Model, class Target>
class compiled_constants {
 protected:
  using compiled = impl::compiled_plan<Model, Target>;
  static_assert(compiled::sound);
  static constexpr plan_counts counts = compiled::first.counts;

  static constexpr load_view layout() {
    return {compiled::load.loads.data(),
            counts.loads,
            compiled::load.folds.data(),
            compiled::load.packed.data(),
            counts.packed,
            compiled::names.data(),
            weights_bytes,
            Target::facts().panel,
            Target::facts().width,
            0,
            nullptr,
            Target::facts().packed,
            Target::facts().wide_biases};
  }

 public:
  using target = Target;
  static constexpr int steps = counts.steps;
  static constexpr int kernels = counts.keys;
  static constexpr int buffers = counts.buffers;
  static constexpr int inputs = counts.inputs;
  static constexpr int outputs = counts.outputs;
  static constexpr std::int64_t arena_bytes = compiled::frozen.facts.arena_bytes;
  static constexpr std::int64_t lower_bound = compiled::frozen.facts.lower_bound;
  static constexpr std::int64_t weights_bytes = compiled::frozen.facts.weights_bytes;
  static constexpr std::int64_t flops = compiled::frozen.facts.flops;
  static constexpr std::int64_t bytes_written = compiled::frozen.facts.bytes_written;
  static constexpr std::int64_t bytes = compiled::frozen.facts.bytes_read + bytes_written;
  static constexpr int conversions = compiled::frozen.facts.conversions;
  /// Bytes of constant data that a run reads (steps and edges), and that loading reads.
  static constexpr std::int64_t plan_bytes = sizeof(compiled::plan);
  static constexpr std::int64_t load_bytes = sizeof(compiled::load) + sizeof(compiled::names);

  /// What loading needs: names, folds, packed layout.
  static constexpr load_view loading() {
    load_view v = layout();
    v.layout_hash = layout_hash;
    v.functions = real_functions<functions_called(compiled::load.loads.data(), counts.loads)>;
    return v;
  }

  /// Identity of the packed layout: equal for models that may share packed weights.
  static constexpr std::uint64_t layout_hash = hash_layout(layout());
};

TKL_ISA_END
}  // namespace tkl
