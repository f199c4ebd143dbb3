// SPDX-License-Identifier: Apache-2.0
// The random numbers of random graphs: the same at compile time, at run time and on every machine.
#pragma once

#include <cstdint>

namespace tkl_test {

/// PCG-like generator; constexpr, the same on every machine.
struct random_source {
  std::uint64_t state;
  constexpr explicit random_source(std::uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 0xda942042e4dd58b5ull) {
    for (int i = 0; i < 4; ++i) next();
  }
  constexpr std::uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto shifted = static_cast<std::uint32_t>(((state >> 18u) ^ state) >> 27u);
    const auto turn = static_cast<std::uint32_t>(state >> 59u);
    return shifted >> turn | shifted << ((32u - turn) & 31u);
  }
  /// A number in [low, high].
  constexpr std::int64_t in(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint32_t>(high - low + 1));
  }
  constexpr bool chance(int percent) { return in(0, 99) < percent; }
};

}  // namespace tkl_test
