// SPDX-License-Identifier: Apache-2.0
// Buffers with random numbers, and the comparison of a result with a reference in double precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tkl/core/checked.hpp>
#include <utility>

namespace bench {

/// Floats at a 64-byte boundary, off a page boundary by a few lines: buffers at equal offsets in their pages displace
/// each other in the caches, for every competitor.
class buffer {
 public:
  explicit buffer(std::int64_t elements)
      : elements_(elements),
        memory_(static_cast<std::byte*>(
            std::aligned_alloc(4096, static_cast<std::size_t>(tkl::round_up(elements * 4 + 2048, 4096))))) {
    static std::size_t lines = 0;
    lines = (lines + 5) % 32;
    data_ = reinterpret_cast<float*>(memory_.get() + lines * 64);
    for (std::int64_t i = 0; i < elements; ++i) data_[i] = 0;
  }
  float* data() const { return data_; }
  std::int64_t size() const { return elements_; }
  float& operator[](std::int64_t i) const { return data_[i]; }

 private:
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::int64_t elements_;
  std::unique_ptr<std::byte, release> memory_;
  float* data_ = nullptr;
};

/// Numbers in [-1, 1), the same in every run.
inline buffer random_buffer(std::int64_t elements, std::uint32_t seed) {
  buffer b(elements);
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::int64_t i = 0; i < elements; ++i) {
    state = state * 1664525U + 1013904223U;
    b[i] = static_cast<float>(static_cast<std::int32_t>(state >> 8)) / 8388608.0F - 1.0F;
  }
  return b;
}

/// Collects differences from a reference. `wrong` says where the worst one is, empty when all are small.
class checker {
 public:
  /// `scale`: magnitude against which a difference counts.
  explicit checker(double scale = 1) : tolerance_(1e-4 * scale) {}
  void see(double got, double expected, std::int64_t index) {
    const double d = std::abs(got - expected);
    if (d <= worst_) return;  // a NaN goes on
    worst_ = std::isnan(d) ? 1e300 : d;
    index_ = index;
  }
  std::string wrong(std::string_view name) const {
    if (worst_ <= tolerance_) return {};
    return std::string(name) + " computes a wrong result: element " + std::to_string(index_) + " differs by " +
           std::to_string(worst_);
  }

 private:
  double tolerance_, worst_ = 0;
  std::int64_t index_ = 0;
};

}  // namespace bench
