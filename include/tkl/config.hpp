// SPDX-License-Identifier: Apache-2.0
// The only macros of the library: function attributes, the unroll pragma, the ISA namespace, the version.
#pragma once

#define TKL_VERSION_MAJOR 0
#define TKL_VERSION_MINOR 1
#define TKL_VERSION_PATCH 0

// Older compilers fail in the middle of a header; say what is missing instead. Their own version follows as a note.
#if defined(__clang__)
#  if __clang_major__ < 14
#    pragma message(__VERSION__)
#    error "tkl needs clang 14 or newer"
#  endif
#elif defined(__GNUC__)
#  if __GNUC__ < 12
#    pragma message(__VERSION__)
#    error "tkl needs g++ 12 or newer"
#  endif
#else
#  error "tkl needs g++ 12 or clang 14, or a newer one of them: it uses their attributes and builtins"
#endif
#if __cplusplus < 202002L
#  error "tkl needs C++20: compile with -std=c++20"
#endif

#if defined(__CUDACC__)
#  define TKL_FN __host__ __device__ __forceinline__
#else
#  define TKL_FN [[gnu::always_inline]] inline
#endif

// A micro-kernel is its own function: inlined into a large caller, g++ 12 spills its accumulators.
#define TKL_NOINLINE [[gnu::noinline]]

// What runs once, or only to report a mistake: kept small instead of fast.
#define TKL_COLD [[gnu::cold, gnu::noinline]] TKL_TAGGED

// Fixed tile loops must be unrolled for the tile to live in registers.
#if defined(__CUDACC__) || defined(__clang__)
#  define TKL_UNROLL _Pragma("unroll")
#else
#  define TKL_UNROLL _Pragma("GCC unroll 32")
#endif

// Code compiled for different instruction sets must not share symbols: the linker keeps one copy, and a program that
// keeps the newer one dies on an older CPU. Everything that holds machine code lives in this inline namespace.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#  define TKL_ISA isa_avx512
#elif defined(__AVX2__) && defined(__FMA__)
#  define TKL_ISA isa_avx2
#elif defined(__aarch64__) && defined(__ARM_NEON)
#  define TKL_ISA isa_neon
#else
#  define TKL_ISA isa_base
#endif
// A function that belongs to a type outside of that namespace carries the instruction set in its name instead.
#define TKL_TEXT_OF(name) #name
#define TKL_EXPANDED_TEXT_OF(name) TKL_TEXT_OF(name)
#define TKL_TAGGED [[gnu::abi_tag(TKL_EXPANDED_TEXT_OF(TKL_ISA))]]

#define TKL_ISA_BEGIN inline namespace TKL_ISA {
#define TKL_ISA_END }
