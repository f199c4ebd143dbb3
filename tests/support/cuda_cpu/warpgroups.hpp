// SPDX-License-Identifier: Apache-2.0
// wgmma on the CPU: both operands in shared memory, the depth along lines, the swizzle of 128 bytes.
//
// A thread computes its own sums, as late as it may: when it waits for them. Products are summed in f32, one after the
// other: a tensor core's order and rounding are not modelled.
#pragma once

#include <cstdint>
#include <cstring>
#include <tkl/core/element.hpp>

#include "block.hpp"

namespace cuda_cpu {

constexpr unsigned row_of_sum(unsigned thread, unsigned i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
constexpr unsigned column_of_sum(unsigned thread, unsigned i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

/// Where byte `byte` of the depth of row `row` lies: by the fields of a descriptor.
inline std::uint32_t address_of(std::uint64_t descriptor, unsigned row, unsigned byte) {
  const auto field = [&](int at) { return static_cast<std::uint32_t>(descriptor >> at & 0x3fff) * 16; };
  const std::uint32_t x = field(0) + row % 8 * 128 + row / 8 * field(32) + byte;
  return x ^ (x >> 3 & 0x70);
}

inline void begin_products() {
  running().meet(~0u, "wgmma.fence");
  running().current().products_begun = true;
}
inline void end_products() {
  running().meet(~0u, "wgmma.commit_group");
  running().current().products.emplace_back();
}
inline void wait_products(unsigned open) {
  running().meet(~0u, "wgmma.wait_group");
  thread& t = running().current();
  t.products_begun = false;
  while (t.products.size() > open + 1) {
    for (const auto& f : t.products.front()) f();
    t.products.erase(t.products.begin());
  }
  running().meet(~0u, "wgmma.wait_group");  // the warp goes on together
}

template <class T, std::size_t Sums>
void multiply_warpgroup(float (&d)[Sums], std::uint64_t a, std::uint64_t b) {
  thread& t = running().current();
  if (!t.products_begun) running().die("wgmma.mma_async: no fence stands before it");
  for (const std::uint64_t descriptor : {a, b})
    if (descriptor >> 62 != 1 || (descriptor >> 49 & 7) != 0 || (descriptor & 7) * 16 % 32 != 0)
      running().die("wgmma.mma_async: a descriptor of another kind");
  struct operands {
    std::uint64_t a, b;
  };
  running().exchange(~0u, operands{a, b}, "wgmma.mma_async", [&](auto of_lane) {
    if (of_lane(0).a != a || of_lane(0).b != b) running().die("wgmma.mma_async: lanes with different descriptors");
  });
  const unsigned own = (t.index.x + t.index.y * running().threads.x) % 128;
  t.products.back().push_back([&d, a, b, own] {
    const auto number = [](std::uint64_t descriptor, unsigned row, unsigned k) {
      T v;
      std::memcpy(&v, running().shared_at(address_of(descriptor, row, 2 * k), 2), 2);
      return tkl::to_float(v);
    };
    float x[2][16];  // a thread has two rows
    for (unsigned r = 0; r < 2; ++r)
      for (unsigned k = 0; k < 16; ++k) x[r][k] = number(a, row_of_sum(own, 2 * r), k);
    for (unsigned i = 0; i < Sums; ++i)
      for (unsigned k = 0; k < 16; ++k) d[i] += x[i / 2 % 2][k] * number(b, column_of_sum(own, i), k);
  });
}

}  // namespace cuda_cpu
