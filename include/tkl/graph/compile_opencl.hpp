// SPDX-License-Identifier: Apache-2.0
// compile<Model, opencl<Arch>>: the passes run in the compiler as for any target, and so does the writing of kernels.
//
//   auto context = tkl::opencl_context::make();                  or use(the caller's context, device and queue)
//   auto model = net::load(*context, "weights.safetensors");     checks the device, builds kernels, uploads weights
//   auto memory = net::workspace::make(*model);                  one per caller
//   tkl::status s = (*model)(*memory, image, scores);            host memory to host memory
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/exec/opencl.hpp>
#include <tkl/graph/compile_device.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// What graph/compile_device.hpp asks of OpenCL.
struct opencl_run_time {
  using context_type = opencl_context;
  using kernel_type = opencl_kernel;
  using model_type = opencl_model;
  using workspace_type = opencl_workspace;
  using arena_type = cl::Buffer;

  template <class Net>
  struct constants {
    /// What load asks of the device, but for the bytes of one kernel's arguments.
    static constexpr opencl_needs needs = opencl_needs_of(Net::plan(), Net::target::precision);
  };
  template <class Net, std::size_t Index>
  static opencl_kernel kernel() {
    return Net::target::template kernel<Net::plan().keys[Index]>();
  }
  template <class Net>
  TKL_COLD static result<opencl_model> make(const opencl_context& c, const device_plan& plan,
                                            const opencl_kernel* kernels, const std::byte* weights) {
    return opencl_model::make(c, plan, kernels, Net::needs, weights);
  }
  template <class Net>
  TKL_COLD static result<opencl_model> make_shape(const opencl_context& c, const device_plan& plan,
                                                  const opencl_kernel* kernels, const std::byte* weights) {
    return opencl_model::make(c, plan, kernels, Net::needs, weights);
  }
  template <class Net>
  TKL_COLD static result<opencl_model> share(const opencl_context& c, const device_plan& plan,
                                             const opencl_kernel* kernels, const std::byte*,
                                             const opencl_model& other) {
    return opencl_model::make(c, plan, kernels, Net::needs, other.weights());
  }
  TKL_COLD static result<cl::Buffer> make_arena(const opencl_context& c, std::int64_t bytes) {
    return opencl_buffer(c, CL_MEM_READ_WRITE, bytes);
  }
};

TKL_ISA_END
}  // namespace tkl
