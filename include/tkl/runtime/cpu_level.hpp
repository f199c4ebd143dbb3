// SPDX-License-Identifier: Apache-2.0
// Which instruction-set level a processor can run, as a pure function of what CPUID and XGETBV say, and the choice of
// one of the levels that are built into a program.
//
// A level is usable when the processor has every extension that its compiler flags allow, and when the operating system
// saves the registers: a processor under an old kernel or hypervisor announces AVX-512, and its first instruction is
// illegal. Bits: Intel's manual, volume 1, sections 13.3 and 14.3, volume 2, CPUID.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>

namespace tkl {

/// Levels of x86 in rising order: what cmake/tkl_level_flags.cmake compiles for. neon is the only one of 64-bit Arm.
enum class cpu_level : std::uint8_t { base, avx2, avx512, neon };
inline constexpr cpu_level cpu_levels[] = {cpu_level::base, cpu_level::avx2, cpu_level::avx512, cpu_level::neon};

TKL_TAGGED constexpr std::string_view name_of(cpu_level level) {
  constexpr std::string_view names[] = {"base", "avx2", "avx512", "neon"};
  return names[static_cast<std::size_t>(level)];
}

/// Whether a processor of level `host` runs code of `level`.
TKL_TAGGED constexpr bool runs(cpu_level host, cpu_level level) {
  return level <= host && (host == cpu_level::neon) == (level == cpu_level::neon);
}

/// The registers after CPUID.
struct cpuid_registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// What a processor and its operating system say. A field that may not be asked for is 0.
struct cpu_facts {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint64_t xcr0 = 0;  // registers whose state the operating system saves

  static constexpr std::uint32_t osxsave = 1u << 27;  // of leaf 1 ecx: XGETBV may be executed
};

/// Something that answers CPUID(leaf, subleaf) and XGETBV(0).
template <class P>
concept processor = requires(const P& p, std::uint32_t n) {
  { p.cpuid(n, n) } -> std::same_as<cpuid_registers>;
  { p.xcr0() } -> std::same_as<std::uint64_t>;
};

/// Asks in the only safe order: leaf 7 where leaf 0 says that it exists (beyond the last one Intel's processors answer
/// with the last), XGETBV where the operating system has enabled it (else it is an illegal instruction).
template <processor P>
TKL_TAGGED constexpr cpu_facts facts_of(const P& p) {
  cpu_facts f;
  const std::uint32_t last = p.cpuid(0, 0).eax;
  if (last >= 1) f.leaf1_ecx = p.cpuid(1, 0).ecx;
  if (last >= 7) f.leaf7_ebx = p.cpuid(7, 0).ebx;
  if ((f.leaf1_ecx & cpu_facts::osxsave) != 0) f.xcr0 = p.xcr0();
  return f;
}

/// The highest level of x86 that may run.
TKL_TAGGED constexpr cpu_level highest_level(const cpu_facts& f) {
  // What -mavx2 -mfma -mf16c allow: SSE3, SSSE3, FMA, SSE4.1, SSE4.2, POPCNT, XSAVE, AVX, F16C; AVX2.
  constexpr std::uint32_t avx2_leaf1 = 1u << 0 | 1u << 9 | 1u << 12 | 1u << 19 | 1u << 20 | 1u << 23 | 1u << 26 |
                                       cpu_facts::osxsave | 1u << 28 | 1u << 29;
  constexpr std::uint32_t avx2_leaf7 = 1u << 5;
  constexpr std::uint32_t avx512_leaf7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;  // F, DQ, CD, BW, VL
  constexpr std::uint64_t ymm_state = 1u << 1 | 1u << 2;                                        // xmm, upper ymm
  constexpr std::uint64_t zmm_state = ymm_state | 1u << 5 | 1u << 6 | 1u << 7;  // masks, upper zmm, zmm16...31
  const auto all = [](std::uint64_t of, std::uint64_t bits) { return (of & bits) == bits; };
  if (!all(f.leaf1_ecx, avx2_leaf1) || !all(f.leaf7_ebx, avx2_leaf7) || !all(f.xcr0, ymm_state)) return cpu_level::base;
  return all(f.leaf7_ebx, avx512_leaf7) && all(f.xcr0, zmm_state) ? cpu_level::avx512 : cpu_level::avx2;
}

namespace detail {

/// A text from outside, fit for a terminal.
TKL_COLD inline text<40> printable(std::string_view from) {
  text<40> t;
  for (const char c : from) t << (c >= ' ' && c <= '~' ? c : '?');
  return t;
}

}  // namespace detail

/// The level of `built` that runs: the one that `wish` names, or the highest usable one when it is empty. `source` says
/// in messages where the wish comes from. Fails when there is no such level, or it is not built in, or `host` cannot
/// run it.
TKL_COLD inline result<cpu_level> choose_level(std::string_view wish, std::string_view source, cpu_level host,
                                               std::span<const cpu_level> built) {
  const cpu_level* named = nullptr;
  for (const cpu_level& l : cpu_levels)
    if (name_of(l) == wish) named = &l;
  const cpu_level* best = nullptr;
  bool is_built = false;
  for (const cpu_level& l : built) {
    is_built = is_built || (named != nullptr && l == *named);
    if (runs(host, l) && (best == nullptr || *best < l)) best = &l;
  }
  if (wish.empty() && best != nullptr) return *best;
  if (is_built && runs(host, *named)) return *named;
  message_text m;
  if (wish.empty()) {
    m << "no level runs here";
  } else {
    m << source << ": level '" << detail::printable(wish).view() << "' "
      << (named == nullptr ? "does not exist"
          : is_built       ? "does not run here"
                           : "is not built in");
  }
  m << ": this processor and its system go up to " << name_of(host) << ", built in:";
  for (const cpu_level l : built) m << ' ' << name_of(l);
  return status::failure(m);
}

}  // namespace tkl
