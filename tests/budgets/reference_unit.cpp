// SPDX-License-Identifier: Apache-2.0
// The yardstick of the compile budgets: standard-library templates, some parsing, constant evaluation, instantiation
// and optimisation, in about the shares of a static network, so that a host's caches and neighbours weigh alike on
// both. Budgets are stated as multiples of the time that this file takes, so it must never change.
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

struct node {
  int inputs[4]{};
  int inputs_used = 0;
  long extent[4]{};
  char name[32]{};
};

// A graph of `count` nodes, evaluated by the compiler.
constexpr long evaluate(int count) {
  std::vector<node> nodes;
  for (int i = 0; i < count; ++i) {
    node n;
    for (int k = 0; k < 4 && k < i; ++k) n.inputs[n.inputs_used++] = (i * 7 + k * 13) % i;
    for (int k = 0; k < 4; ++k) n.extent[k] = (i * 31 + k * 17) % 97 + 1;
    for (int k = 0; k < 31; ++k) n.name[k] = static_cast<char>('a' + (i + k) % 26);
    nodes.push_back(n);
  }
  std::vector<long> first(nodes.size()), order(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) order[i] = static_cast<long>(i);
  std::sort(order.begin(), order.end(), [&](long a, long b) {
    return nodes[static_cast<std::size_t>(a)].extent[0] < nodes[static_cast<std::size_t>(b)].extent[0];
  });
  long sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (nodes[i].extent[1] == nodes[j].extent[1]) sum += order[j] + static_cast<long>(i);
  return sum;
}

template <int... N>
int run(int seed, std::integer_sequence<int, N...>) {
  return (work<N + 3>(seed) + ... + 0);
}
static_assert(evaluate(120) != 0);
static_assert(evaluate(121) != 0);

int all(int seed) {
  return run(seed, std::make_integer_sequence<int, 12>{});
}
}  // namespace reference
