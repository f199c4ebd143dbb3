// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory and the copies that they count (compute capability 9.0): runs of bytes, and boxes of a
// tensor. Source: "Parallel Thread Execution ISA", sections "mbarrier" and "cp.async.bulk".
//
// Addresses are those of the block's shared memory, in bytes. Compiled to code for arch=sm_90a alone; without nvcc
// these are calls of a simulated GPU.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/target/cuda_ptx.cuh>

namespace tkl {
TKL_ISA_BEGIN
namespace ptx {

/// Where dynamic shared memory begins.
TKL_FN std::uint32_t shared_address() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_memory()));
#elif defined(__CUDACC__)
  return 0;
#else
  return ::cuda_cpu::shared_address();
#endif
}

/// Makes a barrier whose phases take `arrivals` arrivals.
TKL_FN void begin_barrier(std::uint32_t barrier, unsigned arrivals) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::begin_barrier(barrier, arrivals);
#endif
}
/// Copies see the barriers that this thread has made.
TKL_FN void show_barriers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::show_barriers();
#endif
}
/// An arrival; the phase ends when `bytes` bytes are there, too.
TKL_FN void arrive_expecting(std::uint32_t barrier, unsigned bytes) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::arrive(barrier, bytes);
#endif
}
TKL_FN void arrive(std::uint32_t barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::arrive(barrier, 0);
#endif
}
/// Returns when the phase with that parity has ended.
TKL_FN void wait_parity(std::uint32_t barrier, unsigned parity) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  unsigned ended = 0;
  while (ended == 0)
    asm volatile("{.reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;}"
                 : "=r"(ended)
                 : "r"(barrier), "r"(parity)
                 : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::wait_parity(barrier, parity);
#endif
}

/// Copies bytes, a multiple of 16 at multiples of 16, to shared memory; `barrier` counts them.
TKL_FN void copy_bytes(std::uint32_t to, const void* from, unsigned bytes, std::uint32_t barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::copy_bytes(to, from, bytes, barrier);
#endif
}
/// Copies the box of a tensor of five axes that begins at an element; `barrier` counts the bytes of the whole box, and
/// elements outside of the tensor are zeros.
TKL_FN void copy_box(std::uint32_t to, const CUtensorMap& map, const std::int32_t (&at)[5], std::uint32_t barrier) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, "
      "%6}], [%7];" ::"r"(to),
      "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(barrier)
      : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::copy_box(to, map, at, barrier);
#endif
}

}  // namespace ptx
TKL_ISA_END
}  // namespace tkl
