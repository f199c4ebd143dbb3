// SPDX-License-Identifier: Apache-2.0
// compile<Model, Target>: the passes run in the compiler, their result is constants and a table of kernels.
//
//   for step of the plan: kernels[step.kernel](step, context)
//
// That loop is all that interprets at run time. A kernel is instantiated once per distinct key, and the keys name no
// shape: models that differ in shapes alone share them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/exec/run_plan.hpp>
#include <tkl/graph/compiled_plan.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// The kernels of a plan, one function per distinct key.
template <class Target, auto Keys, int Count, class Indices = std::make_index_sequence<static_cast<std::size_t>(Count)>>
struct kernel_table;
template <class Target, auto Keys, int Count, std::size_t... Index>
struct kernel_table<Target, Keys, Count, std::index_sequence<Index...>> {
  using function = void (*)(const step&, const run_context<typename Target::executor_type>&);
  static constexpr function of[sizeof...(Index)] = {&Target::template run<(*Keys)[Index]>...};
};

/// The kernels of a plan's stages, which a worker runs alone.
template <class Target, auto Keys, int First, class Indices>
struct stage_table;
template <class Target, auto Keys, int First, std::size_t... Index>
struct stage_table<Target, Keys, First, std::index_sequence<Index...>> {
  static constexpr stage_function of[sizeof...(Index)] = {&Target::template run<(*Keys)[First + Index]>...};
};
template <class Target, auto Keys, int First>
struct stage_table<Target, Keys, First, std::index_sequence<>> {
  static constexpr const stage_function* of = nullptr;
};

}  // namespace impl

/// A model compiled for a target. `Model` has `static constexpr ... build(graph&)`; `Target` is cpu<...>. Constants:
/// see compiled_constants.
///
/// An object holds the packed weights, is constant, and may be shared between threads; each caller has a workspace.
template <class Model, class Target>
class compile : public compiled_constants<Model, Target> {
  using base = compiled_constants<Model, Target>;
  using base::counts;
  using typename base::compiled;

 public:
  using base::arena_bytes, base::inputs, base::kernels, base::layout_hash, base::loading, base::outputs, base::steps,
      base::weights_bytes;
  using executor_type = typename Target::executor_type;

  /// Loads a safetensors file (checks every tensor's name, shape and type, folds and packs) or a file that save_packed
  /// wrote (mapped as it is). Nothing is half loaded. The last allocation but the workspace's.
  TKL_COLD static result<compile> load(const char* path, const load_options& options = {}) {
    result<packed_weights> w = load_weights(loading(), path, options);
    if (!w) return w.error();
    return compile(std::move(*w));
  }
  /// The same from an open weights file, or one in memory.
  TKL_COLD static result<compile> load(const safetensors& file, const load_options& options = {}) {
    result<packed_weights> w = pack_weights(loading(), file, options);
    if (!w) return w.error();
    return compile(std::move(*w));
  }
  /// The same from weights that another shape of the model loaded; they must outlive this object. Weights of another
  /// model, target or version are refused; a model without weights takes any.
  static result<compile> share(const packed_weights& weights) {
    if (weights.layout_hash() == layout_hash || weights_bytes == 0) return compile(weights.borrowed());
    message_text m;
    return status::failure(m << (weights.layout_hash() == 0 ? "no weights were loaded"
                                                            : "weights packed for another graph, target or version"));
  }

  /// Writes the packed weights to a file that load maps without work.
  status save_packed(const char* path) const { return save_weights(loading(), weights_, path); }
  const packed_weights& weights() const { return weights_; }

  /// Scratch of all workers beyond the arena.
  static std::int64_t scratch_bytes(int workers) { return worker_scratch_bytes(reference(), workers); }

  /// Memory for one caller with an executor of that many workers.
  class workspace : public arena_workspace {
   public:
    static result<workspace> make(int workers = executor_type{}.workers()) {
      result<arena_workspace> w = arena_workspace::make(base::arena_bytes, compile::scratch_bytes(workers));
      if (!w) return w.error();
      return workspace(std::move(*w));
    }
    explicit workspace(arena_workspace&& w) : arena_workspace(std::move(w)) {}
  };

  /// Runs the model: inputs, then outputs, in declared order; typed pointers or anything with data() and size(). No
  /// allocation, lock or throw. Fails before the first step when a buffer is null, misaligned, of another type or size,
  /// or overlaps an output.
  template <class... Buffers>
  requires(static_cast<int>(sizeof...(Buffers)) == inputs + outputs) status operator()(const arena_workspace& w,
                                                                                       Buffers&&... buffers) const {
    static_assert(inputs <= max_arguments && outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    return run_checked(reference(), weights_.data(), w, all, executor_type{});
  }

  /// The same with untyped buffers, which must have the model's types and sizes.
  status run(const arena_workspace& w, const void* const* in, void* const* out,
             const executor_type& executor = {}) const {
    return run_plan(reference(), weights_.data(), w, in, out, executor);
  }

  /// Runs one step; for profilers and probes that look between steps. Checks nothing.
  void run_step(int index, const arena_workspace& w, const void* const* in, void* const* out,
                const executor_type& executor = {}) const {
    tkl::run_step(reference(), index, weights_.data(), w, in, out, executor);
  }

  /// The plan as data.
  static constexpr plan_reference<executor_type> reference(const char* names = compiled::names.data()) {
    return {compiled::plan.steps.data(),
            steps,
            compiled::plan.edges.data(),
            counts.edges,
            compiled::plan.inputs.data(),
            inputs,
            compiled::plan.outputs.data(),
            outputs,
            arena_bytes,
            names,
            table::of,
            compiled::plan.steps.data() + steps,
            stage_table::of};
  }
  static constexpr const step* plan_steps() { return compiled::plan.steps.data(); }
  static constexpr const edge* plan_edges() { return compiled::plan.edges.data(); }
  static constexpr const std::int16_t* plan_inputs() { return compiled::plan.inputs.data(); }
  static constexpr const std::int16_t* plan_outputs() { return compiled::plan.outputs.data(); }
  static constexpr const kernel_key* plan_keys() { return compiled::keys.data(); }
  static constexpr const char* plan_names() { return compiled::names.data(); }
  static constexpr std::size_t plan_name_bytes = static_cast<std::size_t>(counts.names);

 private:
  using table = impl::kernel_table<Target, &compiled::keys, kernels>;
  using stage_table = impl::stage_table<Target, &compiled::keys, kernels,
                                        std::make_index_sequence<static_cast<std::size_t>(counts.stage_keys)>>;
  explicit compile(packed_weights&& w) : weights_(std::move(w)) {}
  packed_weights weights_;
};

TKL_ISA_END
}  // namespace tkl
