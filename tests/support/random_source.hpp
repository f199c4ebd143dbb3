// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and with every compiler, and usable in constant evaluation.
#pragma once

#include <cstdint>
#include <string_view>

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

/// Element `i` of a tensor of the run: the same for a name and an index wherever it is asked for.
inline float random_element(std::string_view name, std::int64_t i) {
  std::uint64_t h = 1469598103934665603ull;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  random_source r(h + static_cast<std::uint64_t>(i) * 7919u);
  return static_cast<float>(r.in(-1000, 1000)) / 1000.0f;
}

}  // namespace tkl_test
