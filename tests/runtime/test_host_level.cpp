// SPDX-License-Identifier: Apache-2.0
// The level of the processor that runs the test, as tkl, Highway and Linux find it.
// tkl-test: libs=highway
#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/host_cpu.hpp>

namespace {

using tkl::cpu_level;

/// Highway's AVX2 asks for BMI, BMI2 and LZCNT besides; no processor with the rest of it lacks those.
cpu_level highway_level() {
  const std::int64_t targets = hwy::SupportedTargets();
  if ((targets & HWY_AVX3) != 0) return cpu_level::avx512;
  return (targets & HWY_AVX2) != 0 ? cpu_level::avx2 : cpu_level::base;
}

/// Empty where Linux tells nothing.
std::string linux_flags() {
  std::string flags;
  std::FILE* const f = std::fopen("/proc/cpuinfo", "r");
  if (f == nullptr) return flags;
  char line[8192];
  while (flags.empty() && std::fgets(line, sizeof line, f) != nullptr)
    if (std::string_view(line).starts_with("flags")) flags = line;
  std::fclose(f);
  for (char& c : flags)
    if (c == '\n' || c == '\t') c = ' ';
  return flags;
}

bool has_all(const std::string& flags, std::initializer_list<const char*> names) {
  for (const std::string name : names)
    if (flags.find(' ' + name + ' ') == std::string::npos) return false;
  return true;
}

}  // namespace

TEST_CASE("tkl and Highway find the same level") {
  const std::string ours(name_of(tkl::host_level())), theirs(name_of(highway_level()));
  MESSAGE("this processor and its system go up to ", ours);
  CHECK(ours == theirs);
}

TEST_CASE("tkl and Linux find the same level") {
  const std::string flags = linux_flags();
  if (flags.empty()) {
    MESSAGE("SKIPPED: /proc/cpuinfo lists no flags");
    return;
  }
  cpu_level level = cpu_level::base;
  if (has_all(flags, {"avx2", "fma", "f16c"})) level = cpu_level::avx2;
  if (level == cpu_level::avx2 && has_all(flags, {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}))
    level = cpu_level::avx512;
  CHECK(std::string(name_of(tkl::host_level())) == std::string(name_of(level)));
}
