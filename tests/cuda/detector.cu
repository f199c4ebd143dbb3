// SPDX-License-Identifier: Apache-2.0
// Compiled by nvcc, never run: all kernels of a whole network, the detector of the example read_page, with products
// in tensor cores.
#include <read_page/networks/detector.hpp>
#include <tkl/cuda.cuh>

#if !defined(TKL_BENCH_ARCH)
#  define TKL_BENCH_ARCH sm_80
#endif
using target = tkl::cuda<tkl::arch::TKL_BENCH_ARCH, tkl::cuda_product::rounded>;
using net = tkl::compile<read_page::detector<read_page::extent{640, 640}>, target>;

tkl::status run(const tkl::cuda_context& context, const char* weights, const void* const* in, void* const* out) {
  const auto model = net::load(context, weights);
  if (!model) return model.error();
  const auto workspace = net::workspace::make(*model);
  return workspace ? model->run(*workspace, in, out) : workspace.error();
}
