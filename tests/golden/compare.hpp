// SPDX-License-Identifier: Apache-2.0
// Comparison of one tensor in our order of axes (batch, row, column, channel) with one of ONNX Runtime's (batch,
// channel, row, column; tensors with other than four axes agree).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "golden_file.hpp"

namespace tkl::test {

struct difference {
  double largest = 0;    // absolute; infinity when a value is no number or the element counts differ
  double magnitude = 0;  // the golden tensor's largest
  double relative() const { return largest / magnitude; }
};

template <class T>
difference compare(const T* ours, std::size_t count, const golden_tensor& golden) {
  difference d;
  if (count != golden.elements()) return {std::numeric_limits<double>::infinity(), 1};
  const auto& e = golden.extents;
  const bool image = e.size() == 4;
  const std::size_t channels = image ? static_cast<std::size_t>(e[1]) : 1;
  const std::size_t pixels = image ? static_cast<std::size_t>(e[2] * e[3]) : count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = i / pixels % channels, batch = i / pixels / channels;
    const double expected = static_cast<double>(golden.as<float>()[i]);
    const double got = static_cast<double>(ours[(batch * pixels + i % pixels) * channels + channel]);
    const double error = std::abs(got - expected);
    d.largest = error >= 0 ? std::max(d.largest, error) : std::numeric_limits<double>::infinity();
    d.magnitude = std::max(d.magnitude, std::abs(expected));
  }
  return d;
}

inline constexpr double inner_tolerance = 2e-4;        // of the tensor's largest magnitude
inline constexpr double probability_tolerance = 5e-5;  // absolute
inline constexpr double logit_tolerance = 1e-3;        // of the largest magnitude

/// The same with half storage.
inline constexpr double half_probability_tolerance = 0.1;
inline constexpr double half_logit_tolerance = 0.1;
/// A probability with half weights.
inline constexpr double half_weights_probability_tolerance = 0.02;
/// A probability where products and element-wise steps are computed in half precision, too.
inline constexpr double half_arithmetic_tolerance = 0.005;

}  // namespace tkl::test
