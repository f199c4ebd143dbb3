// SPDX-License-Identifier: Apache-2.0
// Matrix products whose extents are compile-time constants: nothing is packed, nothing is looked up.
//
//   for panel of nr vectors of columns:
//     for tile of mr rows:                        rows spread evenly over the tiles
//       acc = sum over k of a[i][k] * b[k][j]     k unrolled by the compiler's choice
//       c[i][j] = epilogue(acc)
//
// Below extents of about 128 packing and dispatch cost more than they bring; here every bound is a constant.
#pragma once

#include <cstdint>
#include <tkl/algo/ordered_products.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// Extents of a product of rows x depth by depth x columns.
struct gemm_extents {
  int rows = 1;
  int columns = 1;
  int depth = 1;
  constexpr bool operator==(const gemm_extents&) const = default;
};

TKL_ISA_BEGIN

/// One register tile of MR rows by NV vectors, the last of `Last` lanes. Its own function, as every hot loop.
template <class M, int MR, int NV, int Last, int Depth, class TA, class TB, class TC, class E>
TKL_NOINLINE void static_tile(const TA* a, std::int64_t lda, const TB* b, std::int64_t ldb, TC* c, std::int64_t ldc,
                              const E& epilogue, std::int64_t row, std::int64_t column) {
  using value = typename M::value;
  constexpr int width = M::width;
  value acc[MR][NV];
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) TKL_UNROLL
  for (int j = 0; j < NV; ++j) acc[i][j] = M::zero();
  const auto load = [](const TB* from, int j) __attribute__((always_inline)) {
    return j + 1 < NV || Last == width ? M::load(from + j * width) : M::load(from + j * width, Last);
  };
  if constexpr (M::ordered_registers > 0) {
    ordered_products<M>(
        acc, Depth, [&](std::int64_t k, int i) { return M::factor_of(a + (i * lda + k)); },
        [&](std::int64_t k, int j) { return load(b + k * ldb, j); });
  } else {
    for (int k = 0; k < Depth; ++k, b += ldb) {
      value row_of_b[NV];
      TKL_UNROLL
      for (int j = 0; j < NV; ++j) row_of_b[j] = load(b, j);
      TKL_UNROLL
      for (int i = 0; i < MR; ++i) {
        const value x = M::broadcast(a + (i * lda + k));
        TKL_UNROLL
        for (int j = 0; j < NV; ++j) M::mac(acc[i][j], x, row_of_b[j]);
      }
    }
  }
  TKL_UNROLL
  for (int i = 0; i < MR; ++i) TKL_UNROLL
  for (int j = 0; j < NV; ++j) {
    const int lanes = j + 1 < NV ? width : Last;
    const position at{{0, 0, row + i}, column + j * width};
    const value v = eval(epilogue, typename M::leaf{acc[i][j], at, lanes});
    if (j + 1 < NV || Last == width) {
      M::store(c + (i * ldc + j * width), v);
    } else {
      M::store(c + (i * ldc + j * width), v, lanes);
    }
  }
}

/// All rows of one panel of NV vectors: as many tiles of the same height as fit, then one of what is left.
template <gemm_schedule S, class M, gemm_extents N, int NV, int Last, class TA, class TB, class TC, class E>
TKL_FN void static_panel(const TA* a, std::int64_t lda, const TB* b, std::int64_t ldb, TC* c, std::int64_t ldc,
                         const E& epilogue, std::int64_t column) {
  constexpr int tiles = static_cast<int>(ceil_div(N.rows, S.mr));
  constexpr int height = static_cast<int>(ceil_div(N.rows, tiles));
  constexpr int whole = N.rows / height, rest = N.rows % height;
  for (int t = 0; t < whole; ++t)
    static_tile<M, height, NV, Last, N.depth>(a + t * height * lda, lda, b, ldb, c + t * height * ldc, ldc, epilogue,
                                              t * height, column);
  if constexpr (rest > 0)
    static_tile<M, rest, NV, Last, N.depth>(a + whole * height * lda, lda, b, ldb, c + whole * height * ldc, ldc,
                                            epilogue, whole * height, column);
}

/// c = epilogue(a * b), row-major with leading dimensions lda, ldb, ldc in elements. Places are {0, 0, row}, column.
template <gemm_schedule S, class M, gemm_extents N, class TA, class TB, class TC, class E>
void static_gemm(const TA* a, std::int64_t lda, const TB* b, std::int64_t ldb, TC* c, std::int64_t ldc,
                 const E& epilogue) {
  static_assert(N.rows >= 0 && N.columns >= 0 && N.depth >= 0, "extents of a static product must not be negative");
  if constexpr (N.rows > 0 && N.columns > 0) {
    constexpr int panel = S.nr * M::width, whole = N.columns / panel, rest = N.columns % panel;
    for (int p = 0; p < whole; ++p)
      static_panel<S, M, N, S.nr, M::width>(a, lda, b + p * panel, ldb, c + p * panel, ldc, epilogue, p * panel);
    if constexpr (rest > 0) {
      constexpr int vectors = static_cast<int>(ceil_div(rest, M::width)), last = rest - (vectors - 1) * M::width;
      static_panel<S, M, N, vectors, last>(a, lda, b + whole * panel, ldb, c + whole * panel, ldc, epilogue,
                                           whole * panel);
    }
  }
}

TKL_ISA_END
}  // namespace tkl
