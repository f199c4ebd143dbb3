// SPDX-License-Identifier: Apache-2.0
// buckets<Model, opencl<Arch>, Shapes...>: one model in several shapes on a device. The shapes share the weights on the
// device and the programs; each caller has one arena for all of them, and per shape kernels whose arguments are set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tkl/graph/buckets.hpp>
#include <tkl/graph/compile_opencl.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// As buckets on the CPU. An object may be shared by callers of one context; each caller has a workspace.
template <template <auto> class Model, class Target, auto First, auto... Rest>
requires(Target::runs_on_opencl) class buckets<Model, Target, First, Rest...> {
  using first = compile<Model<First>, Target>;
  static_assert(((compile<Model<Rest>, Target>::loading().layout_hash == first::loading().layout_hash) && ...),
                "the shapes of a model must pack the same weights in the same layout");
  static_assert(((compile<Model<Rest>, Target>::inputs == first::inputs &&
                  compile<Model<Rest>, Target>::outputs == first::outputs) &&
                 ...),
                "the shapes of a model must have the same inputs and outputs");

 public:
  using target = Target;
  using shape_type = decltype(First);
  /// The compiled model of one shape.
  template <auto Shape>
  using model = compile<Model<Shape>, Target>;

  static constexpr int count = 1 + static_cast<int>(sizeof...(Rest));
  static constexpr std::array<shape_type, static_cast<std::size_t>(count)> shapes{First, Rest...};
  static constexpr std::array<device_plan, static_cast<std::size_t>(count)> plans{
      first::plan(), compile<Model<Rest>, Target>::plan()...};
  static constexpr std::int64_t arena_bytes = [] {
    std::int64_t most = 0;
    for (const device_plan& p : plans) most = p.arena_bytes > most ? p.arena_bytes : most;
    return most;
  }();
  static constexpr std::int64_t weights_bytes = first::weights_bytes;

  /// As compile::load; the weights are uploaded once.
  TKL_COLD static result<buckets> load(const opencl_context& c, const char* path, const load_options& options = {}) {
    result<packed_weights> w = load_weights(first::loading(), path, options);
    if (!w) return w.error();
    return make(c, *w);
  }
  TKL_COLD static result<buckets> load(const opencl_context& c, const safetensors& file,
                                       const load_options& options = {}) {
    result<packed_weights> w = pack_weights(first::loading(), file, options);
    if (!w) return w.error();
    return make(c, *w);
  }

  /// Memory of one caller on the device, for every shape.
  class workspace {
   public:
    TKL_COLD static result<workspace> make(const buckets& b) {
      const opencl_context& c = b.models_[0].context();
      result<cl::Buffer> arena = opencl_buffer(c, CL_MEM_READ_WRITE, arena_bytes);
      if (!arena) return arena.error();
      workspace w;
      for (const opencl_model& m : b.models_) {
        result<opencl_workspace> one = opencl_workspace::make(m, *arena);
        if (!one) return one.error();
        w.shapes_.push_back(std::move(*one));
      }
      return w;
    }
    /// That of one shape: its device buffers.
    opencl_workspace& shape(int index) { return shapes_[static_cast<std::size_t>(index)]; }
    const opencl_workspace& shape(int index) const { return shapes_[static_cast<std::size_t>(index)]; }

   private:
    workspace() = default;
    std::vector<opencl_workspace> shapes_{};
  };

  /// Index of the first shape, in declared order, that `holds` accepts; -1 when none does.
  template <class Holds>
  static int smallest(Holds holds) {
    for (int i = 0; i < count; ++i)
      if (holds(shapes[static_cast<std::size_t>(i)])) return i;
    return -1;
  }

  /// Runs shape number `index`, from host memory to host memory, as compile::operator(). An index out of range is an
  /// error.
  template <class... Buffers>
  status operator()(int index, const workspace& w, Buffers&&... buffers) const {
    static_assert(static_cast<int>(sizeof...(Buffers)) == first::inputs + first::outputs);
    static_assert(first::inputs <= max_arguments && first::outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    if (status s = check_index(index); !s) return s;
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    host_buffers b;
    if (status s = b.gather(plans[static_cast<std::size_t>(index)], all); !s) return s;
    return w.shape(index).run(b.in, b.out);
  }
  /// The same with untyped buffers, which must have the shape's types and sizes.
  status run(int index, const workspace& w, const void* const* in, void* const* out) const {
    if (status s = check_index(index); !s) return s;
    return w.shape(index).run(in, out);
  }
  /// From the shape's device buffers to its device buffers, without waiting.
  status enqueue(int index, const workspace& w) const {
    if (status s = check_index(index); !s) return s;
    return w.shape(index).enqueue();
  }

  const opencl_context& context() const { return models_[0].context(); }
  const cl::Buffer& weights() const { return models_[0].weights(); }

 private:
  static status check_index(int index) {
    if (index >= 0 && index < count) return {};
    message_text m;
    return status::failure(m << "shape number " << index << " of a model with " << count << " shapes");
  }
  TKL_COLD static result<buckets> make(const opencl_context& c, const packed_weights& w) {
    buckets b;
    if (status s = b.add<first>(c, w.data()); !s) return s;
    status s;
    static_cast<void>(((s = b.add<compile<Model<Rest>, Target>>(c, b.weights())) && ...));
    if (!s) return s;
    return b;
  }
  /// `weights`: on the host, or those that are on the device already.
  template <class Compiled, class Weights>
  TKL_COLD status add(const opencl_context& c, const Weights& weights) {
    const auto texts = Compiled::texts();
    result<opencl_model> m = opencl_model::make(c, Compiled::plan(), texts.data(), weights);
    if (!m) return m.error();
    models_.push_back(std::move(*m));
    return {};
  }
  buckets() = default;
  std::vector<opencl_model> models_{};  // one per shape
};

TKL_ISA_END
}  // namespace tkl
