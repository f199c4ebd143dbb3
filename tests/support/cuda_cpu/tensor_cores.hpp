// SPDX-License-Identifier: Apache-2.0
// mma.sync and ldmatrix on the CPU, by the layouts of their registers in the PTX ISA, section "Matrix Fragments".
//
// In an operand of m16n8kK each register holds E = K / 8 elements. Products are summed in f32, one after the other: a
// tensor core's order and rounding are not modelled. tf32 operands lose their low 13 bits, so that a conversion that
// was forgotten shows.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <tkl/core/element.hpp>

#include "block.hpp"

namespace cuda_cpu {

/// Where an element of an operand lives: a lane, its register, and the place in it from the low bits.
struct fragment_place {
  unsigned lane, word, part;
};
template <unsigned K>
constexpr fragment_place place_in_a(unsigned row, unsigned k) {
  constexpr unsigned e = K / 8;
  return {row % 8 * 4 + k % (4 * e) / e, k / (4 * e) * 2 + row / 8, k % e};
}
template <unsigned K>
constexpr fragment_place place_in_b(unsigned k, unsigned column) {
  constexpr unsigned e = K / 8;
  return {column * 4 + k % (4 * e) / e, k / (4 * e), k % e};
}
constexpr unsigned row_of_result(unsigned lane, unsigned i) {
  return lane / 4 + i / 2 * 8;
}
constexpr unsigned column_of_result(unsigned lane, unsigned i) {
  return 2 * (lane % 4) + i % 2;
}

/// d += a b; number(word, part) is an element as a float.
template <unsigned K, class F>
void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], const char* at, F number) {
  struct operands {
    std::uint32_t a[4], b[2];
  };
  const operands own{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  const unsigned lane = running().current().lane;
  running().exchange(~0u, own, at, [&](auto of_lane) {
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned k = 0; k < K; ++k) {
        const fragment_place x = place_in_a<K>(row_of_result(lane, i), k);
        const fragment_place y = place_in_b<K>(k, column_of_result(lane, i));
        d[i] += number(of_lane(x.lane).a[x.word], x.part) * number(of_lane(y.lane).b[y.word], y.part);
      }
  });
}
inline void mma_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  multiply<8>(d, a, b, "mma.m16n8k8.tf32",
              [](std::uint32_t w, unsigned) { return std::bit_cast<float>(w & ~std::uint32_t{0x1fff}); });
}
inline void mma_f16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  multiply<16>(d, a, b, "mma.m16n8k16.f16", [](std::uint32_t w, unsigned part) {
    return tkl::to_float(tkl::half{static_cast<std::uint16_t>(w >> 16 * part)});
  });
}
inline void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  multiply<16>(d, a, b, "mma.m16n8k16.bf16", [](std::uint32_t w, unsigned part) {
    return tkl::to_float(tkl::bfloat16{static_cast<std::uint16_t>(w >> 16 * part)});
  });
}

/// Four 8 x 8 matrices of 16-bit elements: row r of matrix j is at the address that lane 8 j + r gives.
inline void load_matrices(std::uint32_t (&r)[4], const void* row) {
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0) running().die("ldmatrix: an address is not a multiple of 16");
  const unsigned lane = running().current().lane;
  running().exchange(~0u, row, "ldmatrix", [&](auto of_lane) {
    for (unsigned j = 0; j < 4; ++j)
      std::memcpy(&r[j], static_cast<const char*>(of_lane(8 * j + lane / 4)) + 4 * (lane % 4), 4);
  });
}

/// cvt.rna.tf32.f32: to nearest, ties away from zero.
inline std::uint32_t to_tf32(float v) {
  return (std::bit_cast<std::uint32_t>(v) + 0x1000) & ~std::uint32_t{0x1fff};
}

/// cvt.rn.f16x2.f32, cvt.rn.bf16x2.f32
inline std::uint32_t pack_f16(float low, float high) {
  return std::uint32_t{tkl::to_half(low).bits} | std::uint32_t{tkl::to_half(high).bits} << 16;
}
inline std::uint32_t pack_bf16(float low, float high) {
  return std::uint32_t{tkl::to_bfloat16(low).bits} | std::uint32_t{tkl::to_bfloat16(high).bits} << 16;
}

}  // namespace cuda_cpu
