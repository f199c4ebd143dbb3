// SPDX-License-Identifier: Apache-2.0
// Products of matrices by a warpgroup: wgmma, for arch=sm_90a alone. Source: "Parallel Thread Execution ISA", section
// "Asynchronous Warpgroup Level Matrix Instructions".
//
// An instruction is data: element type and number of columns name it, one function for each number of sums that a
// thread has issues it. Both operands lie in shared memory, as their descriptors say (algo/mma/matrix_tile.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace ptx {

/// 64 rows by that many columns, 32 bytes of the depth, f32 sums.
template <class T, int Columns>
struct warpgroup_product;
template <>
struct warpgroup_product<half, 64> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16";
};
template <>
struct warpgroup_product<half, 128> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16";
};
template <>
struct warpgroup_product<half, 256> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16";
};
template <>
struct warpgroup_product<bfloat16, 64> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16";
};
template <>
struct warpgroup_product<bfloat16, 128> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16";
};
template <>
struct warpgroup_product<bfloat16, 256> {
  static constexpr char name[] = "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16";
};

/// The compiler moves no access to the sums across this place.
template <int Sums>
TKL_FN void pin_sums(float (&d)[Sums]) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  TKL_UNROLL
  for (int i = 0; i < Sums; ++i) asm volatile("" : "+f"(d[i])::"memory");
#else
  static_cast<void>(d);
#endif
}

/// Products that follow see the sums as they are now: stands before each group.
TKL_FN void begin_products() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::begin_products();
#endif
}
/// Closes a group of products.
TKL_FN void end_products() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::end_products();
#endif
}
/// Waits until at most `Open` groups are left.
template <int Open>
TKL_FN void wait_products() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Open) : "memory");
#elif !defined(__CUDACC__)
  ::cuda_cpu::wait_products(Open);
#endif
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Lists of operands of an assembler statement, which nothing but the preprocessor can repeat.
#  define TKL_SUMS_8(i)                                                                                         \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#  define TKL_SUMS_32(i) TKL_SUMS_8(i), TKL_SUMS_8(i + 8), TKL_SUMS_8(i + 16), TKL_SUMS_8(i + 24)
#endif

/// d += a b, asynchronously; a and b are descriptors.
template <class T>
TKL_FN void multiply_warpgroup(float (&d)[32], std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  // clang-format off
  asm volatile(
      "{.reg .pred adds; setp.ne.b32 adds, 1, 0; %34 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, adds, 1, 1, 0, 0;}"
      : TKL_SUMS_32(0)
      : "l"(a), "l"(b), "C"(warpgroup_product<T, 64>::name));
  // clang-format on
#elif !defined(__CUDACC__)
  ::cuda_cpu::multiply_warpgroup<T>(d, a, b);
#endif
}

/// d += a b, asynchronously; a and b are descriptors.
template <class T>
TKL_FN void multiply_warpgroup(float (&d)[64], std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  // clang-format off
  asm volatile(
      "{.reg .pred adds; setp.ne.b32 adds, 1, 0; %66 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63}, "
      "%64, %65, adds, 1, 1, 0, 0;}"
      : TKL_SUMS_32(0), TKL_SUMS_32(32)
      : "l"(a), "l"(b), "C"(warpgroup_product<T, 128>::name));
  // clang-format on
#elif !defined(__CUDACC__)
  ::cuda_cpu::multiply_warpgroup<T>(d, a, b);
#endif
}

/// d += a b, asynchronously; a and b are descriptors.
template <class T>
TKL_FN void multiply_warpgroup(float (&d)[128], std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  // clang-format off
  asm volatile(
      "{.reg .pred adds; setp.ne.b32 adds, 1, 0; %130 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, "
      "%114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, adds, 1, 1, 0, 0;}"
      : TKL_SUMS_32(0), TKL_SUMS_32(32), TKL_SUMS_32(64), TKL_SUMS_32(96)
      : "l"(a), "l"(b), "C"(warpgroup_product<T, 256>::name));
  // clang-format on
#elif !defined(__CUDACC__)
  ::cuda_cpu::multiply_warpgroup<T>(d, a, b);
#endif
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#  undef TKL_SUMS_8
#  undef TKL_SUMS_32
#endif

}  // namespace ptx
TKL_ISA_END
}  // namespace tkl
