// SPDX-License-Identifier: Apache-2.0
// Compiled by nvcc, never run: whether every kernel and the run time compile for GPUs, and what the kernels need there.
#include <tkl/cuda.cuh>

#include "cuda/every_kernel.hpp"

#if !defined(TKL_BENCH_ARCH)
#  define TKL_BENCH_ARCH simt
#endif
using target = tkl::cuda<tkl::arch::TKL_BENCH_ARCH>;
static_assert(tkl::supports<tkl_test::every_kernel, target>);

template <class Net>
tkl::status run(const char* weights, cudaStream_t stream, const void* const* in, void* const* out) {
  const auto context = tkl::cuda_context::use(stream);
  if (!context) return context.error();
  const auto model = Net::load(*context, weights);
  if (!model) return model.error();
  const auto workspace = Net::workspace::make(*model);
  return workspace ? model->run(*workspace, in, out) : workspace.error();
}
template tkl::status run<tkl::compile<tkl_test::every_kernel, target>>(const char*, cudaStream_t, const void* const*,
                                                                       void* const*);
template tkl::status run<tkl::compile<tkl_test::every_kernel, tkl::half_storage<target>>>(const char*, cudaStream_t,
                                                                                          const void* const*,
                                                                                          void* const*);
template tkl::status run<tkl::compile<tkl_test::every_kernel, tkl::half_storage<target, tkl::bf16>>>(const char*,
                                                                                                     cudaStream_t,
                                                                                                     const void* const*,
                                                                                                     void* const*);
