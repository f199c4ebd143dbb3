// SPDX-License-Identifier: Apache-2.0
// The products of a register tile in the order in which they are written here, for machines whose compiler would choose
// a worse one.
//
//   for k in depth:
//     for row:                          its factor was loaded some rows before
//       sum[row][j] += factor[k][row] * vector[k][j]
//       after the last row: vector[k + 1][j] as soon as vector[k][j] has served
//
// A core that starts instructions in order waits for each load whose result is needed at once; here none is. And g++
// 12, which schedules for Arm before it allocates registers, loads the factors of all rows first, so that sums leave
// the registers: six stack references per product in a tile of 8 rows by 3 vectors.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <type_traits>

namespace tkl {

/// Factors in registers at a time: a divisor of the rows, so that they go round without copies.
constexpr int factors_in_flight(int rows, int vectors, int registers) {
  for (int n = 4; n > 1; --n)
    if (rows % n == 0 && (rows + 1) * vectors + n <= registers) return n;
  return 1;
}

TKL_ISA_BEGIN

/// sum[i][j] += factor(k, i) * vector(k, j) for k in [0, depth). `factor` gives an M::factor, `vector` an M::value.
template <class M, int MR, int NV, class X, class B>
TKL_FN void ordered_products(typename M::value (&sum)[MR][NV], std::int64_t depth, const X& factor, const B& vector) {
  constexpr int ring = factors_in_flight(MR, NV, M::ordered_registers), ahead = ring - 1;
  if (depth <= 0) return;
  typename M::factor x[ring];
  typename M::value b[NV];
  TKL_UNROLL
  for (int j = 0; j < NV; ++j) b[j] = vector(std::int64_t{0}, j);
  TKL_UNROLL
  for (int i = 0; i < ahead; ++i) x[i] = factor(std::int64_t{0}, i);
  const auto product = [&](std::int64_t k, auto last) __attribute__((always_inline)) {
    TKL_UNROLL
    for (int i = 0; i < MR; ++i) {
      const int next = i + ahead;
      if (next < MR) {
        x[next % ring] = factor(k, next);
      } else if (!last) {
        x[next % ring] = factor(k + 1, next - MR);
      }
      TKL_UNROLL
      for (int j = 0; j < NV; ++j) {
        M::mac_in_order(sum[i][j], x[i % ring], b[j]);
        if (!last && i + 1 == MR) b[j] = vector(k + 1, j);
      }
    }
  };
  std::int64_t k = 0;
  for (; k + 1 < depth; ++k) product(k, std::false_type{});
  product(k, std::true_type{});
}

TKL_ISA_END
}  // namespace tkl
