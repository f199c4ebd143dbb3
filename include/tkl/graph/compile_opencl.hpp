// SPDX-License-Identifier: Apache-2.0
// compile<Model, opencl<Arch>>: the passes run in the compiler as for any target, and so does the writing of kernels.
//
//   auto context = tkl::opencl_context::make();                  or use(the caller's context, device and queue)
//   auto model = net::load(*context, "weights.safetensors");     checks the device, builds kernels, uploads weights
//   auto memory = net::workspace::make(*model);                  one per caller
//   tkl::status s = (*model)(*memory, image, scores);            host memory to host memory
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tkl/exec/arguments.hpp>
#include <tkl/exec/opencl.hpp>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/exec/run_plan.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/supports.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// Runs a plan with typed buffers, after checking each against its edge.
template <std::size_t Count>
status run_checked(const opencl_plan& p, const opencl_workspace& w, const buffer_argument (&all)[Count]) {
  const void* in[max_arguments]{};
  void* out[max_arguments]{};
  for (int i = 0; i < p.input_count + p.output_count; ++i) {
    const bool reads = i < p.input_count;
    const edge& e = reads ? p.input(i) : p.output(i - p.input_count);
    const char* kind = reads ? "input" : "output";
    if (status s = tkl::detail::check_argument(kind, p.names, e, all[i], !reads); !s) return s;
    if (status s = tkl::detail::check_address(kind, p.names, e, all[i].data); !s) return s;
    if (reads) in[i] = all[i].data;
    if (!reads) out[i - p.input_count] = const_cast<void*>(all[i].data);
  }
  return w.run(in, out);
}

}  // namespace impl

/// A model compiled for OpenCL. Constants as on the CPU. An object holds what a device needs of the model, is constant,
/// and may be shared by callers of one context; each caller has a workspace.
template <class Model, class Target>
requires(Target::runs_on_opencl) class compile<Model, Target> {
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

  /// Loads weights as compile<Model, cpu<>>::load does, builds the kernels in the context and uploads the weights. The
  /// context checks first what the device can do.
  TKL_COLD static result<compile> load(const opencl_context& c, const char* path, const load_options& options = {}) {
    result<packed_weights> w = load_weights(loading(), path, options);
    if (!w) return w.error();
    return make(c, *w);
  }
  TKL_COLD static result<compile> load(const opencl_context& c, const safetensors& file,
                                       const load_options& options = {}) {
    result<packed_weights> w = pack_weights(loading(), file, options);
    if (!w) return w.error();
    return make(c, *w);
  }

  /// Memory of one caller on the device.
  class workspace : public opencl_workspace {
   public:
    TKL_COLD static result<workspace> make(const compile& model) {
      result<opencl_workspace> w = opencl_workspace::make(model.model_);
      if (!w) return w.error();
      return workspace(std::move(*w));
    }

   private:
    explicit workspace(opencl_workspace&& w) : opencl_workspace(std::move(w)) {}
  };

  /// Runs the model: inputs, then outputs, in declared order, in host memory; typed pointers or anything with data()
  /// and size(). Fails before the first step when a buffer is null, misaligned, or of another type or size.
  template <class... Buffers>
  requires(static_cast<int>(sizeof...(Buffers)) == inputs + outputs) status operator()(const workspace& w,
                                                                                       Buffers&&... buffers) const {
    static_assert(inputs <= max_arguments && outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    return impl::run_checked(plan(), w, all);
  }
  /// The same with untyped buffers, which must have the model's types and sizes.
  status run(const workspace& w, const void* const* in, void* const* out) const { return w.run(in, out); }
  /// From the workspace's device buffers to its device buffers, without waiting.
  status enqueue(const workspace& w) const { return w.enqueue(); }

  const opencl_context& context() const { return model_.context(); }
  static constexpr opencl_plan plan() {
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
  /// The texts of the plan's kernels.
  static auto texts() { return texts_of(std::make_index_sequence<static_cast<std::size_t>(kernels)>{}); }

 private:
  template <std::size_t... Index>
  static std::array<opencl_kernel, sizeof...(Index)> texts_of(std::index_sequence<Index...>) {
    return {target::template kernel<compiled::keys[Index]>()...};
  }
  TKL_COLD static result<compile> make(const opencl_context& c, const packed_weights& w) {
    const auto all = texts();
    result<opencl_model> m = opencl_model::make(c, plan(), all.data(), w.data());
    if (!m) return m.error();
    return compile(std::move(*m));
  }
  explicit compile(opencl_model&& m) : model_(std::move(m)) {}
  opencl_model model_;
};

TKL_ISA_END
}  // namespace tkl
