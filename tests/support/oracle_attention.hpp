// SPDX-License-Identifier: Apache-2.0
// Attention from its definition: one query, one output column at a time, in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <support/oracle_spatial.hpp>
#include <vector>

namespace tkl::test {

/// Weights of all keys for one query: softmax of scale * q . k + mask(key); zeros where every score is -infinity.
/// Query heads in a row share one of keys where k has fewer columns.
template <class T, class F>
std::vector<double> attention_weights_oracle(const image<T>& q, const image<T>& k, std::int64_t heads, double scale,
                                             std::int64_t b, std::int64_t head, std::int64_t query, const F& mask) {
  const std::int64_t depth = q.extent(3) / heads, keys = k.extent(2);
  const std::int64_t shared = k.extent(3) == 0 ? 0 : head / (q.extent(3) / k.extent(3));
  std::vector<double> w(static_cast<std::size_t>(keys));
  double largest = -std::numeric_limits<double>::infinity(), total = 0.0;
  for (std::int64_t key = 0; key < keys; ++key) {
    double score = 0.0;
    for (std::int64_t d = 0; d < depth; ++d)
      score += number(q(b, 0, query, head * depth + d)) * number(k(b, 0, key, shared * depth + d));
    w[static_cast<std::size_t>(key)] = score * scale + mask(key);
    largest = std::max(largest, w[static_cast<std::size_t>(key)]);
  }
  if (std::isinf(largest)) return std::vector<double>(static_cast<std::size_t>(keys), 0.0);
  for (auto& e : w) total += e = std::exp(e - largest);
  for (auto& e : w) e /= total;
  return w;
}

}  // namespace tkl::test
