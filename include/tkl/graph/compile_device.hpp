// SPDX-License-Identifier: Apache-2.0
// compile<Model, Target> for devices that run algorithms of work items. A target names its run time, a type R with
//
//   context_type, kernel_type, model_type, workspace_type
//   constants<Net>                                         what it adds to those of compile<...>, which is Net
//   kernel<Net, i>()                                       the kernel of key i of the plan
//   make<Net>(context, plan, kernels, weights)             checks the device, builds kernels, uploads weights
// and for the shapes of a model (graph/buckets_device.hpp)
//   arena_type, make_arena(context, bytes)                 memory of one caller for all shapes
//   make_shape<Net>(context, plan, kernels, weights)       as make, without memory for a caller
//   share<Net>(context, plan, kernels, weights, model)     the same with the weights of another shape on the device
#pragma once

#include <array>
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

template <class Target>
concept device_target = requires {
  typename Target::run_time;
};

TKL_ISA_BEGIN

/// The host's buffers of a run.
struct host_buffers {
  const void* in[max_arguments]{};
  void* out[max_arguments]{};

  /// Takes the buffers of a plan, inputs first. Fails when one is null, misaligned, or of another type or size.
  template <int Inputs, int Outputs, class... Buffers>
  status gather(const device_plan& p, Buffers&&... buffers) {
    static_assert(Inputs <= max_arguments && Outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    static_assert(static_cast<int>(sizeof...(Buffers)) == Inputs + Outputs);
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    return gather(p, all);
  }

 private:
  status gather(const device_plan& p, const buffer_argument* all) {
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

/// A model compiled for a device. An object holds what the device needs of the model, is constant, and may be shared by
/// callers of one context; each caller has a workspace.
template <class Model, class Target>
requires device_target<Target>
class compile<Model, Target> : public compiled_constants<Model, Target>,
                               public Target::run_time::template constants<compile<Model, Target>> {
  using base = compiled_constants<Model, Target>;
  using typename base::compiled;
  using run_time = typename Target::run_time;
  using model_type = typename run_time::model_type;
  using workspace_type = typename run_time::workspace_type;
  static_assert(checked_support<Model, Target>::sound);

 public:
  using base::arena_bytes, base::inputs, base::kernels, base::loading, base::outputs, base::steps, base::weights_bytes;
  using context_type = typename run_time::context_type;

  /// Loads weights as compile<Model, cpu<>>::load does, prepares the kernels in the context and uploads the weights.
  /// The context checks first what the device can do.
  TKL_COLD static result<compile> load(const context_type& c, const char* path, const load_options& options = {}) {
    return make(c, load_weights(loading(), path, options));
  }
  TKL_COLD static result<compile> load(const context_type& c, const safetensors& file,
                                       const load_options& options = {}) {
    return make(c, pack_weights(loading(), file, options));
  }

  /// Memory of one caller on the device.
  class workspace : public workspace_type {
   public:
    TKL_COLD static result<workspace> make(const compile& model) {
      result<workspace_type> w = workspace_type::make(model.model_);
      if (!w) return w.error();
      return workspace(std::move(*w));
    }

   private:
    explicit workspace(workspace_type&& w) : workspace_type(std::move(w)) {}
  };

  /// Runs the model: inputs, then outputs, in declared order, in host memory; typed pointers or anything with data()
  /// and size(). Fails before the first step when a buffer is null, misaligned, or of another type or size.
  template <class... Buffers>
  requires(static_cast<int>(sizeof...(Buffers)) == inputs + outputs) status operator()(const workspace& w,
                                                                                       Buffers&&... buffers) const {
    host_buffers b;
    if (status s = b.gather<inputs, outputs>(plan(), std::forward<Buffers>(buffers)...); !s) return s;
    return w.run(b.in, b.out);
  }
  /// The same with untyped buffers, which must have the model's types and sizes.
  status run(const workspace& w, const void* const* in, void* const* out) const { return w.run(in, out); }
  /// From the workspace's memory on the device to its memory on the device, without waiting.
  status enqueue(const workspace& w) const { return w.enqueue(); }

  const context_type& context() const { return model_.context(); }

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
            Target::items};
  }
  /// The plan's kernels.
  static auto kernel_list() { return kernels_of(std::make_index_sequence<static_cast<std::size_t>(kernels)>{}); }

 private:
  template <std::size_t... Index>
  static std::array<typename run_time::kernel_type, sizeof...(Index)> kernels_of(std::index_sequence<Index...>) {
    return {run_time::template kernel<compile, Index>()...};
  }
  TKL_COLD static result<compile> make(const context_type& c, const result<packed_weights>& w) {
    if (!w) return w.error();
    const auto all = kernel_list();
    result<model_type> m = run_time::template make<compile>(c, plan(), all.data(), w->data());
    if (!m) return m.error();
    return compile(std::move(*m));
  }
  explicit compile(model_type&& m) : model_(std::move(m)) {}
  model_type model_;
};

TKL_ISA_END
}  // namespace tkl
