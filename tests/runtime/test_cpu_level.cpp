// SPDX-License-Identifier: Apache-2.0
// Which level a processor runs: tables of what CPUID and XGETBV say; wishes and what is told when they cannot be
// granted.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <tkl/runtime/cpu_level.hpp>

namespace {

using tkl::cpu_facts;
using tkl::cpu_level;

constexpr std::uint32_t sse3 = 1u << 0, ssse3 = 1u << 9, fma = 1u << 12, sse41 = 1u << 19, sse42 = 1u << 20,
                        popcnt = 1u << 23, xsave = 1u << 26, osxsave = 1u << 27, avx = 1u << 28, f16c = 1u << 29;
constexpr std::uint32_t haswell1 = sse3 | ssse3 | fma | sse41 | sse42 | popcnt | xsave | osxsave | avx | f16c;
constexpr std::uint32_t avx2 = 1u << 5, f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31;
constexpr std::uint32_t skylake7 = avx2 | f | dq | cd | bw | vl;

struct row {
  const char* what;
  cpu_facts facts;
  cpu_level expected;
};
constexpr row rows[] = {
    {"AVX-512 announced, its registers not saved", {haswell1, skylake7, 0x07}, cpu_level::avx2},
    {"AVX-512 with its registers saved", {haswell1, skylake7, 0xe7}, cpu_level::avx512},
    {"no OSXSAVE", {haswell1 & ~osxsave, skylake7, 0}, cpu_level::base},
    {"AVX announced, only xmm saved", {haswell1, skylake7, 0x03}, cpu_level::base},
    {"ymm saved without xmm", {haswell1, skylake7, 0xe5}, cpu_level::base},
    {"masks not saved", {haswell1, skylake7, 0xc7}, cpu_level::avx2},
    {"upper zmm not saved", {haswell1, skylake7, 0xa7}, cpu_level::avx2},
    {"zmm16 to zmm31 not saved", {haswell1, skylake7, 0x67}, cpu_level::avx2},
    {"other states saved too", {haswell1, skylake7, 0x602e7}, cpu_level::avx512},
    {"nothing", {}, cpu_level::base},
    {"Sandy Bridge: AVX alone", {haswell1 & ~(fma | f16c), 0, 0x07}, cpu_level::base},
    {"FMA hidden", {haswell1 & ~fma, skylake7, 0xe7}, cpu_level::base},
    {"F16C hidden", {haswell1 & ~f16c, skylake7, 0xe7}, cpu_level::base},
    {"AVX2 hidden", {haswell1, skylake7 & ~avx2, 0xe7}, cpu_level::base},
    {"AVX hidden", {haswell1 & ~avx, skylake7, 0xe7}, cpu_level::base},
    {"POPCNT hidden", {haswell1 & ~popcnt, skylake7, 0xe7}, cpu_level::base},
    {"Knights Landing: F and CD", {haswell1, avx2 | f | cd, 0xe7}, cpu_level::avx2},
    {"AVX-512 without VL", {haswell1, skylake7 & ~vl, 0xe7}, cpu_level::avx2},
    {"AVX-512 without BW", {haswell1, skylake7 & ~bw, 0xe7}, cpu_level::avx2},
    {"AVX-512 without DQ", {haswell1, skylake7 & ~dq, 0xe7}, cpu_level::avx2},
};
static_assert([] {
  for (const row& r : rows)
    if (tkl::highest_level(r.facts) != r.expected) return false;
  return true;
}());

/// A processor whose answers are a table. XGETBV is an illegal instruction where the system has not enabled it: here a
/// throw, which no constant expression survives.
struct paper_processor {
  std::uint32_t last_leaf;
  cpu_facts facts;
  bool xgetbv_is_legal;

  constexpr tkl::cpuid_registers cpuid(std::uint32_t leaf, std::uint32_t) const {
    if (leaf == 0) return {last_leaf, 0, 0, 0};
    if (leaf == 1) return {0, 0, facts.leaf1_ecx, 0};
    return {0, facts.leaf7_ebx, 0, 0};
  }
  constexpr std::uint64_t xcr0() const { return xgetbv_is_legal ? facts.xcr0 : throw "illegal instruction"; }
};
constexpr cpu_level level_of(const paper_processor& p) {
  return tkl::highest_level(tkl::facts_of(p));
}
static_assert(level_of({7, {haswell1, skylake7, 0xe7}, true}) == cpu_level::avx512);
static_assert(level_of({7, {haswell1 & ~osxsave, skylake7, 0xe7}, false}) == cpu_level::base);
static_assert(level_of({6, {haswell1, skylake7, 0xe7}, true}) == cpu_level::base);  // leaf 7 is not there
static_assert(level_of({0, {haswell1, skylake7, 0xe7}, false}) == cpu_level::base);

constexpr cpu_level all_x86[] = {cpu_level::base, cpu_level::avx2, cpu_level::avx512};

void refused(std::string_view wish, cpu_level host, std::span<const cpu_level> built, std::string_view message) {
  const auto r = tkl::choose_level(wish, "TKL_ARCH", host, built);
  REQUIRE(!r);
  CHECK(std::string_view(r.error().message()) == message);
}

}  // namespace

TEST_CASE("levels from tables of answers") {
  for (const row& r : rows) {
    CAPTURE(r.what);
    CHECK(tkl::highest_level(r.facts) == r.expected);
  }
}

TEST_CASE("the highest level that runs") {
  CHECK(*tkl::choose_level("", "", cpu_level::avx512, all_x86) == cpu_level::avx512);
  CHECK(*tkl::choose_level("", "", cpu_level::avx2, all_x86) == cpu_level::avx2);
  CHECK(*tkl::choose_level("", "", cpu_level::base, all_x86) == cpu_level::base);
  constexpr cpu_level outer[] = {cpu_level::avx512, cpu_level::base};
  CHECK(*tkl::choose_level("", "", cpu_level::avx2, outer) == cpu_level::base);
  constexpr cpu_level arm[] = {cpu_level::neon};
  CHECK(*tkl::choose_level("", "", cpu_level::neon, arm) == cpu_level::neon);
}

TEST_CASE("a level by name") {
  CHECK(*tkl::choose_level("base", "", cpu_level::avx512, all_x86) == cpu_level::base);
  CHECK(*tkl::choose_level("avx2", "", cpu_level::avx512, all_x86) == cpu_level::avx2);
  CHECK(*tkl::choose_level("avx512", "", cpu_level::avx512, all_x86) == cpu_level::avx512);
}

TEST_CASE("wishes that cannot be granted name the wish, the host's level and the levels built in") {
  refused(
      "avx512", cpu_level::avx2, all_x86,
      "TKL_ARCH: level 'avx512' does not run here: this processor and its system go up to avx2, built in: base avx2 "
      "avx512");
  refused(
      "avx9", cpu_level::avx2, all_x86,
      "TKL_ARCH: level 'avx9' does not exist: this processor and its system go up to avx2, built in: base avx2 avx512");
  refused(
      "AVX2", cpu_level::avx2, all_x86,
      "TKL_ARCH: level 'AVX2' does not exist: this processor and its system go up to avx2, built in: base avx2 avx512");
  constexpr cpu_level outer[] = {cpu_level::base, cpu_level::avx512};
  refused(
      "avx2", cpu_level::avx512, outer,
      "TKL_ARCH: level 'avx2' is not built in: this processor and its system go up to avx512, built in: base avx512");
  constexpr cpu_level high[] = {cpu_level::avx2};
  refused("", cpu_level::base, high, "no level runs here: this processor and its system go up to base, built in: avx2");
  refused("neon", cpu_level::avx2, all_x86,
          "TKL_ARCH: level 'neon' is not built in: this processor and its system go up to avx2, built in: base avx2 "
          "avx512");
  refused(
      "\x1b[31mbase", cpu_level::base, all_x86,
      "TKL_ARCH: level '?[31mbase' does not exist: this processor and its system go up to base, built in: base avx2 "
      "avx512");
}
