// SPDX-License-Identifier: Apache-2.0
// Instructions that CUDA C++ has no functions for: asynchronous copies to shared memory, loads of matrices, products of
// matrices by a warp (compute capability 8.0), conversions of f16. Source: "Parallel Thread Execution ISA".
//
// Without nvcc these are calls of a simulated GPU, whose cuda_runtime.h declares them (tests/support/cuda_cpu).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace ptx {

#if defined(__CUDACC__)
// Called by device code alone; compiled for the host, too, since everything above is.
#  define TKL_DEVICE_CODE (__CUDA_ARCH__ >= 800)
#else
#  define TKL_DEVICE_CODE 0
#endif

/// f16 and f32 by one instruction, which every GPU has; what to_float and to_half do.
TKL_FN float widen_f16(half v) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
  return r;
#else
  return to_float(v);
#endif
}
TKL_FN half narrow_f16(float v) {
#if defined(__CUDA_ARCH__)
  half r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
  return r;
#else
  return to_half(v);
#endif
}

/// Dynamic shared memory of the block.
TKL_FN float* shared_memory() {
#if defined(__CUDA_ARCH__)
  extern __shared__ __align__(128) float tkl_shared_memory[];
  return tkl_shared_memory;
#elif defined(__CUDACC__)
  return nullptr;
#else
  return static_cast<float*>(::cuda_cpu::shared_memory());
#endif
}

/// Copies 16 bytes to shared memory, zeros where not `inside`. Both addresses are multiples of 16.
TKL_FN void copy_async_16(void* to, const void* from, bool inside) {
  [[maybe_unused]] const unsigned bytes = inside ? 16 : 0;
#if TKL_DEVICE_CODE
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from), "r"(bytes)
      : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::copy_async_16(to, from, bytes);
#endif
}
/// Closes a group of copies.
TKL_FN void commit_copies() {
#if TKL_DEVICE_CODE
  asm volatile("cp.async.commit_group;" ::: "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::commit_copies();
#endif
}
/// Waits until at most `Open` groups of this thread's copies are under way.
template <int Open>
TKL_FN void wait_copies() {
#if TKL_DEVICE_CODE
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::wait_copies(Open);
#endif
}

/// Four matrices of 8 rows of 16 bytes from shared memory: lane 8 j + r gives the address of row r of matrix j.
TKL_FN void load_matrices(std::uint32_t (&r)[4], const void* row) {
#if TKL_DEVICE_CODE
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::load_matrices(r, row);
#endif
}

/// The bits of a float rounded to 10 bits of fraction, ties away from zero.
TKL_FN std::uint32_t to_tf32(float v) {
#if TKL_DEVICE_CODE
  std::uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
#elif defined(__CUDACC__)
  return 0;
#else
  return ::cuda_cpu::to_tf32(v);
#endif
}

/// Two floats rounded to f16, the first in the low half of the word.
TKL_FN std::uint32_t pack_f16(float low, float high) {
#if TKL_DEVICE_CODE
  std::uint32_t r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
#elif defined(__CUDACC__)
  return 0;
#else
  return ::cuda_cpu::pack_f16(low, high);
#endif
}
/// Two floats rounded to bf16, the first in the low half of the word.
TKL_FN std::uint32_t pack_bf16(float low, float high) {
#if TKL_DEVICE_CODE
  std::uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
#elif defined(__CUDACC__)
  return 0;
#else
  return ::cuda_cpu::pack_bf16(low, high);
#endif
}

/// d += a b, 16 x 8 sums of 8 products in tf32.
TKL_FN void multiply_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if TKL_DEVICE_CODE
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif !defined(__CUDACC__)
  ::cuda_cpu::mma_tf32(d, a, b);
#endif
}
/// d += a b, 16 x 8 sums of 16 products of f16.
TKL_FN void multiply_f16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if TKL_DEVICE_CODE
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif !defined(__CUDACC__)
  ::cuda_cpu::mma_f16(d, a, b);
#endif
}
/// d += a b, 16 x 8 sums of 16 products of bf16.
TKL_FN void multiply_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if TKL_DEVICE_CODE
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif !defined(__CUDACC__)
  ::cuda_cpu::mma_bf16(d, a, b);
#endif
}

#undef TKL_DEVICE_CODE

}  // namespace ptx
TKL_ISA_END
}  // namespace tkl
