// SPDX-License-Identifier: Apache-2.0
// The level of the processor that runs the program: the instructions CPUID and XGETBV, and nothing else.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/runtime/cpu_level.hpp>

#if defined(__x86_64__) || defined(__i386__)
#  include <cpuid.h>
#endif

namespace tkl {

#if defined(__x86_64__) || defined(__i386__)
struct host_processor {
  TKL_TAGGED cpuid_registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) const {
    cpuid_registers r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  }
  /// In assembly: the intrinsic is there only for units that are compiled with XSAVE.
  TKL_TAGGED std::uint64_t xcr0() const {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
  }
};
TKL_COLD inline cpu_level host_level() {
  return highest_level(facts_of(host_processor{}));
}
#elif defined(__aarch64__)
/// Every 64-bit Arm has NEON.
TKL_COLD inline cpu_level host_level() {
  return cpu_level::neon;
}
#else
TKL_COLD inline cpu_level host_level() {
  return cpu_level::base;
}
#endif

}  // namespace tkl
