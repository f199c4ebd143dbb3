// SPDX-License-Identifier: Apache-2.0
// compile<Model, cuda<Arch>>: the passes run in the compiler as for any target; kernels are __global__ functions.
//
//   auto context = tkl::cuda_context::make();                    or use(the caller's stream)
//   auto model = net::load(*context, "weights.safetensors");     checks the device, uploads weights
//   auto memory = net::workspace::make(*model);                  one per caller; captures the steps
//   tkl::status s = (*model)(*memory, image, scores);            host memory to host memory
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tkl/exec/cuda_model.cuh>
#include <tkl/exec/cuda_needs.hpp>
#include <tkl/exec/cuda_target.hpp>
#include <tkl/exec/cuda_workspace.cuh>
#include <tkl/graph/compile_device.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// What graph/compile_device.hpp asks of CUDA.
struct cuda_run_time {
  using context_type = cuda_context;
  using kernel_type = cuda_kernel;
  using model_type = cuda_model;
  using workspace_type = cuda_workspace;
  using arena_type = std::shared_ptr<std::byte>;

  template <class Target>
  using tiles = cuda_tile_plan<typename Target::arch_type, Target::product>;

  /// Steps that tensor cores run, and how many of them cut their depth, which is a launch more; and what that takes of
  /// memory beside arena and packed weights: weights as tiles once, sums of parts for each caller.
  template <class Net>
  struct constants {
    /// What load asks of the device beside its memory and code for it.
    static constexpr cuda_needs needs =
        cuda_needs_of<typename Net::target::arch_type, Net::target::product>(Net::plan());
    static constexpr cuda_tile_counts tile_counts = tiles<typename Net::target>::counts(Net::plan());
  };
  template <class Net, std::size_t Index>
  static cuda_kernel kernel() {
    using target = typename Net::target;
    constexpr bool cuts = tiles<target>::cuts(Net::plan(), static_cast<int>(Index));
    return cuda_kernel_of<Net::plan().keys[Index], typename target::arch_type, target::product, cuts>();
  }
  template <class Net>
  TKL_COLD static result<cuda_model> make(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                          const std::byte* weights) {
    return cuda_model::make(c, plan, kernels, weights, Net::needs, true);
  }
  template <class Net>
  TKL_COLD static result<cuda_model> make_shape(const cuda_context& c, const device_plan& plan,
                                                const cuda_kernel* kernels, const std::byte* weights) {
    return cuda_model::make(c, plan, kernels, weights, Net::needs, false);
  }
  template <class Net>
  TKL_COLD static result<cuda_model> share(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                           const std::byte* weights, const cuda_model& other) {
    return cuda_model::share(c, plan, kernels, weights, other, Net::needs);
  }
  TKL_COLD static result<std::shared_ptr<std::byte>> make_arena(const cuda_context&, std::int64_t bytes) {
    result<cuda_memory_block> b = cuda_memory_block::allocate(bytes);
    if (!b) return b.error();
    return b->shared();
  }
};

TKL_ISA_END
}  // namespace tkl
