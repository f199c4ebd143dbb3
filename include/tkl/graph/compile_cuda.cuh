// SPDX-License-Identifier: Apache-2.0
// compile<Model, cuda<Arch>>: the passes run in the compiler as for any target; kernels are __global__ functions.
//
//   auto context = tkl::cuda_context::make();                    or use(the caller's stream)
//   auto model = net::load(*context, "weights.safetensors");     checks the device, uploads weights
//   auto memory = net::workspace::make(*model);                  one per caller; captures the steps
//   tkl::status s = (*model)(*memory, image, scores);            host memory to host memory
#pragma once

#include <array>
#include <cstddef>
#include <tkl/exec/cuda_model.cuh>
#include <tkl/exec/cuda_target.hpp>
#include <tkl/exec/cuda_workspace.cuh>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/graph/compile_device.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// A model compiled for CUDA. Constants as on the CPU. An object holds what a device needs of the model, is constant,
/// and may be shared by callers of one context; each caller has a workspace.
template <class Model, class Arch, cuda_product Product>
class compile<Model, cuda<Arch, Product>> : public device_compile<Model, cuda<Arch, Product>> {
  using base = device_compile<Model, cuda<Arch, Product>>;
  using compiled = typename base::compiled;
  using tiles = cuda_tile_plan<Arch, Product>;

 public:
  using base::inputs, base::kernels, base::loading, base::outputs, base::plan;

  /// Steps that tensor cores run, and how many of them cut their depth, which is a launch more; and what that takes of
  /// memory beside arena and packed weights: weights as tiles once, sums of parts for each caller.
  static constexpr cuda_tile_counts tile_counts = tiles::counts(plan());

  /// Loads weights as compile<Model, cpu<>>::load does and uploads them. The context checks first what the device can
  /// do.
  TKL_COLD static result<compile> load(const cuda_context& c, const char* path, const load_options& options = {}) {
    result<packed_weights> w = load_weights(loading(), path, options);
    if (!w) return w.error();
    return make(c, *w);
  }
  TKL_COLD static result<compile> load(const cuda_context& c, const safetensors& file,
                                       const load_options& options = {}) {
    result<packed_weights> w = pack_weights(loading(), file, options);
    if (!w) return w.error();
    return make(c, *w);
  }

  /// Memory of one caller on the device.
  class workspace : public cuda_workspace {
   public:
    TKL_COLD static result<workspace> make(const compile& model) {
      result<cuda_workspace> w = cuda_workspace::make(model.model_);
      if (!w) return w.error();
      return workspace(std::move(*w));
    }

   private:
    explicit workspace(cuda_workspace&& w) : cuda_workspace(std::move(w)) {}
  };

  /// Runs the model: inputs, then outputs, in declared order, in host memory; typed pointers or anything with data()
  /// and size(). Fails before the first step when a buffer is null, misaligned, or of another type or size.
  template <class... Buffers>
  requires(static_cast<int>(sizeof...(Buffers)) == inputs + outputs) status operator()(const workspace& w,
                                                                                       Buffers&&... buffers) const {
    host_buffers b;
    if (status s = base::gather(b, std::forward<Buffers>(buffers)...); !s) return s;
    return w.run(b.in, b.out);
  }
  /// The same with untyped buffers, which must have the model's types and sizes.
  status run(const workspace& w, const void* const* in, void* const* out) const { return w.run(in, out); }
  /// From the workspace's device memory to its device memory, without waiting.
  status enqueue(const workspace& w) const { return w.enqueue(); }

  const cuda_context& context() const { return model_.context(); }
  /// The plan's kernels.
  static auto kernel_list() { return kernels_of(std::make_index_sequence<static_cast<std::size_t>(kernels)>{}); }

 private:
  template <std::size_t... Index>
  static std::array<cuda_kernel, sizeof...(Index)> kernels_of(std::index_sequence<Index...>) {
    return {cuda_kernel_of<compiled::keys[Index], Arch, Product, tiles::cuts(plan(), static_cast<int>(Index))>()...};
  }
  TKL_COLD static result<compile> make(const cuda_context& c, const packed_weights& w) {
    const auto all = kernel_list();
    result<cuda_model> m = cuda_model::make(c, plan(), all.data(), w.data(), Arch::facts);
    if (!m) return m.error();
    return compile(std::move(*m));
  }
  explicit compile(cuda_model&& m) : model_(std::move(m)) {}
  cuda_model model_;
};

TKL_ISA_END
}  // namespace tkl
