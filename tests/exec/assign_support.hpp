// SPDX-License-Identifier: Apache-2.0
// What the tests of assign() share: repeatable numbers, tensors as doubles in logical order, comparison.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <support/guarded.hpp>
#include <tkl/core/tensor.hpp>
#include <tkl/exec/assign.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/target/convert.hpp>
#include <vector>

namespace tkl::test {

/// The same numbers in every run: multiples of 2^-7 in [-4, 4), exact in f16 and bf16 products of small counts.
class number_source {
 public:
  explicit number_source(std::uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  float next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(state_ >> 22) - 512) / 128.0f;
  }

 private:
  std::uint32_t state_;
};

template <class T, class L>
void fill(tensor<T, L>& t, std::uint32_t seed) {
  number_source source(seed);
  for (T& v : t) v = narrow<T>(source.next());
}
template <class T, class L>
void fill_with(tensor<T, L>& t, float value) {
  for (T& v : t) v = narrow<T>(value);
}

/// A tensor as doubles in logical row-major order.
struct reals {
  tkl::shape shape{};
  std::vector<double> values{};
  real_input in() const { return {values.data(), shape}; }
  real_output out() { return {values.data(), shape}; }
};
template <class X>
reals reals_of(const X& x) {
  const auto l = locate(as_operand(x));
  reals r{l.extents, {}};
  const std::int64_t n = l.extents.elements().value;
  place_counter place{l.extents};
  for (std::int64_t i = 0; i < n; ++i, place.next()) {
    std::int64_t at = l.offset;
    for (int axis = 0; axis < l.extents.rank; ++axis) at += place.index[axis] * l.steps[axis];
    r.values.push_back(widen<double>(l.data[at]));
  }
  return r;
}
inline reals zeros(const shape& s) {
  return {s, std::vector<double>(static_cast<std::size_t>(s.elements().value))};
}

/// Whether every element agrees within `tolerance`, relative above 1; NaN agrees with NaN.
inline bool agree(const reals& got, const reals& want, double tolerance = 2e-5) {
  if (!(got.shape == want.shape) || got.values.size() != want.values.size()) {
    MESSAGE("extents differ");
    return false;
  }
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const double a = got.values[i], b = want.values[i];
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b || std::fabs(a - b) <= tolerance * (1 + std::fabs(b))) continue;
    MESSAGE("element " << i << ": " << a << ", expected " << b);
    return false;
  }
  return true;
}
template <class X>
bool holds(const X& x, const std::vector<double>& want, double tolerance = 1e-6) {
  const reals got = reals_of(x);
  return agree(got, {got.shape, want}, tolerance);
}

/// Whether a status is good; says its message otherwise.
inline bool good(const status& s) {
  if (!s) MESSAGE(std::string(s.message()));
  return s.ok();
}
inline std::string message_of(const status& s) {
  return s.message();
}

/// An executor that cuts every loop into three ranges in a muddled order.
struct three_parts {
  static constexpr int workers() { return 3; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    const std::int64_t first = n / 5, second = n / 5 + (n + 1) / 2;
    if (second < n) f(second, n, 1);
    if (first > 0) f(std::int64_t{0}, first, 2);
    if (first < second && first < n) f(first, second < n ? second : n, 0);
  }
};

}  // namespace tkl::test
