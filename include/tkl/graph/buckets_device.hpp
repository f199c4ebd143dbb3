// SPDX-License-Identifier: Apache-2.0
// buckets<Model, Target, Shapes...> on a device: one model in several shapes. The shapes share the weights on the
// device and the kernels; each caller has one arena for all of them, and per shape inputs, outputs and prepared
// launches.
#pragma once

#include <array>
#include <cstddef>
#include <tkl/graph/buckets.hpp>
#include <tkl/graph/compile_device.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// As buckets on the CPU. An object may be shared by callers of one context; each caller has a workspace.
template <template <auto> class Model, class Target, auto First, auto... Rest>
requires device_target<Target>
class buckets<Model, Target, First, Rest...> : public bucket_shapes<Model, Target, First, Rest...> {
  using base = bucket_shapes<Model, Target, First, Rest...>;
  using base::check_index;
  using typename base::first;
  using run_time = typename Target::run_time;
  using model_type = typename run_time::model_type;
  using workspace_type = typename run_time::workspace_type;

 public:
  using base::arena_bytes, base::count;
  using context_type = typename run_time::context_type;
  static constexpr std::array<device_plan, static_cast<std::size_t>(count)> plans{
      first::plan(), base::template model<Rest>::plan()...};

  /// As compile::load; the weights are uploaded once.
  TKL_COLD static result<buckets> load(const context_type& c, const char* path, const load_options& options = {}) {
    return make(c, load_weights(first::loading(), path, options));
  }
  TKL_COLD static result<buckets> load(const context_type& c, const safetensors& file,
                                       const load_options& options = {}) {
    return make(c, pack_weights(first::loading(), file, options));
  }

  /// Memory of one caller on the device, for every shape.
  class workspace {
   public:
    TKL_COLD static result<workspace> make(const buckets& b) {
      result<typename run_time::arena_type> arena = run_time::make_arena(b.context(), arena_bytes);
      if (!arena) return arena.error();
      workspace w;
      for (const model_type& m : b.models_) {
        result<workspace_type> one = workspace_type::make(m, *arena);
        if (!one) return one.error();
        w.shapes_.push_back(std::move(*one));
      }
      return w;
    }
    /// That of one shape: its inputs and outputs on the device.
    workspace_type& shape(int index) { return shapes_[static_cast<std::size_t>(index)]; }
    const workspace_type& shape(int index) const { return shapes_[static_cast<std::size_t>(index)]; }

   private:
    workspace() = default;
    std::vector<workspace_type> shapes_{};
  };

  /// Runs shape number `index`, from host memory to host memory, as compile::operator(). An index out of range is an
  /// error.
  template <class... Buffers>
  status operator()(int index, const workspace& w, Buffers&&... buffers) const {
    if (status s = check_index(index); !s) return s;
    host_buffers b;
    const device_plan& plan = plans[static_cast<std::size_t>(index)];
    if (status s = b.gather<first::inputs, first::outputs>(plan, std::forward<Buffers>(buffers)...); !s) return s;
    return w.shape(index).run(b.in, b.out);
  }
  /// The same with untyped buffers, which must have the shape's types and sizes.
  status run(int index, const workspace& w, const void* const* in, void* const* out) const {
    if (status s = check_index(index); !s) return s;
    return w.shape(index).run(in, out);
  }
  /// From the shape's memory on the device to its memory on the device, without waiting.
  status enqueue(int index, const workspace& w) const {
    if (status s = check_index(index); !s) return s;
    return w.shape(index).enqueue();
  }

  const context_type& context() const { return models_[0].context(); }

 private:
  TKL_COLD static result<buckets> make(const context_type& c, const result<packed_weights>& w) {
    if (!w) return w.error();
    buckets b;
    status s = b.add<first>([&](const auto* kernels) {
      return run_time::template make_shape<first>(c, first::plan(), kernels, w->data());
    });
    static_cast<void>((s.ok() && ... && (s = b.share<typename base::template model<Rest>>(c, w->data())).ok()));
    if (!s) return s;
    return b;
  }
  template <class Compiled>
  TKL_COLD status share(const context_type& c, const std::byte* weights) {
    return add<Compiled>([&](const auto* kernels) {
      return run_time::template share<Compiled>(c, Compiled::plan(), kernels, weights, models_[0]);
    });
  }
  template <class Compiled, class F>
  TKL_COLD status add(F make_model) {
    const auto kernels = Compiled::kernel_list();
    result<model_type> m = make_model(kernels.data());
    if (!m) return m.error();
    models_.push_back(std::move(*m));
    return {};
  }
  buckets() = default;
  std::vector<model_type> models_{};  // one per shape
};

TKL_ISA_END
}  // namespace tkl
