// SPDX-License-Identifier: Apache-2.0
// The yardstick of the compile budgets: plain standard-library templates, some parsing, instantiation and optimisation.
// Budgets are stated as multiples of the time that this file takes, so it must never change.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace reference {

template <int N>
struct record {
  std::array<int, N> numbers{};
  std::string name;
  auto operator<=>(const record&) const = default;
};

template <int N>
int work(int seed) {
  std::vector<record<N>> all(static_cast<std::size_t>(seed));
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::iota(all[i].numbers.begin(), all[i].numbers.end(), static_cast<int>(i));
    all[i].name = std::to_string(i * N);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::map<std::string, record<N>> by_name;
  for (const auto& r : all) by_name.emplace(r.name, r);
  std::function<int(int)> add = [&](int x) { return x + static_cast<int>(by_name.size()); };
  const auto& last = by_name.rbegin()->second.numbers;
  return add(std::accumulate(last.begin(), last.end(), 0));
}

int run(int seed) {
  return work<3>(seed);
}

}  // namespace reference
