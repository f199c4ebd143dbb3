// SPDX-License-Identifier: Apache-2.0
// The level of a program that holds several: chosen once, by a call, by the environment variable TKL_ARCH, or as the
// highest that the processor runs.
#pragma once

#include <atomic>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/host_cpu.hpp>

namespace tkl {
TKL_ISA_BEGIN

class level_choice {
 public:
  /// The level that was chosen, if one was.
  std::optional<cpu_level> chosen() const {
    const int level = chosen_.load(std::memory_order_relaxed);
    return level < 0 ? std::nullopt : std::optional(static_cast<cpu_level>(level));
  }
  /// The level that was chosen; the first call chooses among `built`. Threads that call at once find the same. A
  /// failure is not kept: the next call tries again. An empty TKL_ARCH is none.
  result<cpu_level> current(std::span<const cpu_level> built) {
    if (const std::optional<cpu_level> level = chosen()) return *level;
    const char* const wish = std::getenv("TKL_ARCH");  // NOLINT(concurrency-mt-unsafe): read, as at start-up
    return select(wish == nullptr ? "" : wish, "TKL_ARCH", built);
  }
  /// Chooses anew; a failure leaves the choice as it was.
  result<cpu_level> select(std::string_view wish, std::string_view source, std::span<const cpu_level> built) {
    result<cpu_level> level = choose_level(wish, source, host_level(), built);
    if (level) chosen_.store(static_cast<int>(*level), std::memory_order_relaxed);
    return level;
  }

 private:
  std::atomic<int> chosen_{-1};
};

TKL_ISA_END
}  // namespace tkl
