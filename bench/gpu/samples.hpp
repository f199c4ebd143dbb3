// SPDX-License-Identifier: Apache-2.0
// Operands that are exact in their type, and a reference for results that are too large to compute whole on a CPU: one
// number in each of some thousand equal runs of the output, in double precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tkl/core/element.hpp>
#include <vector>

namespace gpu_bench {

/// Numbers -1 .. 1 of 8 bits, which f32, tf32, f16 and bf16 hold exactly.
inline float input_number(std::size_t i) {
  return static_cast<float>(static_cast<int>(i * 2654435761u >> 8 & 255) - 128) / 128;
}

/// In memory, as f32, f16 or bf16.
template <class F>
std::vector<std::byte> numbers(tkl::element type, std::size_t count, F at) {
  std::vector<std::byte> bytes(count * tkl::size_of(type));
  const auto put = [&](std::size_t i, const auto& v) { std::memcpy(bytes.data() + i * sizeof v, &v, sizeof v); };
  for (std::size_t i = 0; i < count; ++i) {
    const float v = at(i);
    if (type == tkl::f16) {
      put(i, tkl::to_half(v));
    } else if (type == tkl::bf16) {
      put(i, tkl::to_bfloat16(v));
    } else {
      put(i, v);
    }
  }
  return bytes;
}
inline double number_at(const std::vector<std::byte>& bytes, tkl::element type, std::size_t i) {
  const auto get = [&](auto v) {
    std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
    return v;
  };
  if (type == tkl::f16) return static_cast<double>(tkl::to_float(get(tkl::half{})));
  if (type == tkl::bf16) return static_cast<double>(tkl::to_float(get(tkl::bfloat16{})));
  return static_cast<double>(get(0.0f));
}

/// Some numbers of an output. `allowed`: difference relative to 1 + the number.
struct sampled {
  static constexpr std::size_t samples = 4096;
  tkl::element type;
  std::size_t elements;
  double allowed;
  std::vector<double> expected{};

  /// `at`: the number of an element of the output.
  template <class F>
  sampled(tkl::element t, std::size_t count, double difference, F at) : type(t), elements(count), allowed(difference) {
    for (std::size_t n = 0; n < samples; ++n) expected.push_back(at(place(n)));
  }
  /// Somewhere in the n-th run; the first and the last element are among them.
  std::size_t place(std::size_t n) const {
    const std::size_t first = n * elements / samples, end = (n + 1) * elements / samples;
    if (n + 1 == samples) return elements - 1;
    return end <= first + 1 || n == 0 ? first : first + n * 2654435761u % (end - first);
  }
  std::size_t bytes() const { return elements * tkl::size_of(type); }

  std::string compare(const std::vector<std::byte>& got) const {
    for (std::size_t n = 0; n < samples; ++n) {
      const double e = expected[n], g = number_at(got, type, place(n));
      if (!(std::fabs(e - g) <= allowed * (1 + std::fabs(e))))
        return "wrong at element " + std::to_string(place(n)) + ": " + std::to_string(e) + " expected, " +
               std::to_string(g) + " given";
    }
    return {};
  }
};

}  // namespace gpu_bench
