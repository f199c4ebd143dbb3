// SPDX-License-Identifier: Apache-2.0
// The parts of bench/gpu_check.cu that are units of their own, so that they can be compiled side by side.
#pragma once

#include "contenders.cuh"

#if !defined(TKL_BENCH_ARCH)
#  define TKL_BENCH_ARCH sm_80
#endif

namespace gpu_bench {

using arch = tkl::arch::TKL_BENCH_ARCH;
/// Whether the architecture has the instructions of warpgroups.
template <class Arch>
constexpr bool has_ring = requires {
  Arch::ring;
};

void measure_products(const tkl::cuda_context&, table&);      // square products beside cuBLAS
void measure_convolutions(const tkl::cuda_context&, table&);  // the layers of ResNet-50 beside cuDNN

}  // namespace gpu_bench
