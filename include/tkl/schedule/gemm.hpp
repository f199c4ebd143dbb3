// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut: the register tile, and the blocks that live in the caches.
#pragma once

#include <concepts>
#include <cstdint>
#include <tkl/core/checked.hpp>

namespace tkl {

/// Sizes of the caches that one core sees, in bytes.
struct cache_sizes {
  std::int64_t l1 = 32 * 1024;
  std::int64_t l2 = 256 * 1024;
  std::int64_t l3 = 4 * 1024 * 1024;
};

/// A register tile of mr rows by nr vectors; a strip of kc products along the depth is summed per pass, over blocks of
/// mc rows and nc columns.
struct gemm_schedule {
  int mr = 6;
  int nr = 2;
  int kc = 256;
  int mc = 96;
  int nc = 2048;
  constexpr bool operator==(const gemm_schedule&) const = default;
};

/// A schedule is usable at all: every extent is positive, and the last panel, which may be one vector wider, leaves a
/// row.
template <gemm_schedule S>
concept positive_tile = S.mr > 0 && S.nr > 0 && S.kc > 0 && S.mc >= S.mr&& S.nc > 0 && (S.nr == 1 || S.mr > 1);

/// The accumulators, one row of the second operand and one broadcast element of the first live in registers together.
template <gemm_schedule S, class Arch>
concept fits_registers = positive_tile<S> && S.mr* S.nr + S.nr + 1 <= Arch::registers;

/// The strip of the second operand that a tile walks (kc x nr vectors) leaves half of the first-level cache to the
/// rest.
template <gemm_schedule S, class Arch>
concept fits_l1 = positive_tile<S> && std::int64_t {
  4
}
*S.kc* S.nr* Arch::width_f32 <= Arch::cache.l1 / 2;

/// A block of the first operand (mc x kc) takes at most half of the second-level cache.
template <gemm_schedule S, class Arch>
concept fits_l2 = positive_tile<S> && std::int64_t {
  4
}
*S.kc* S.mc <= Arch::cache.l2 / 2;

/// Enough independent sums to keep the multiply-adds of Arch under way.
template <gemm_schedule S, class Arch>
concept hides_latency = positive_tile<S> && S.mr* S.nr >= Arch::multiply_add.per_cycle* Arch::multiply_add.latency;

/// What one product of the depth costs a register tile at best.
struct tile_work {
  int multiply_adds = 0;
  int loads = 0;  // one for each vector of the second operand, one for each row's number of the first
};
constexpr tile_work work_of(int mr, int nr) {
  return {mr * nr, mr + nr};
}

/// Block sizes for an f32 tile of mr rows by nr vectors of `width` lanes, by the analytical model of Low, Igual, Smith
/// and Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43 (2016), with half of each
/// level for the operand that stays and half for what streams past.
constexpr gemm_schedule gemm_blocks(int mr, int nr, int width, cache_sizes cache) {
  const std::int64_t lane = 4;
  const std::int64_t kc = cache.l1 / 2 / (lane * nr * width) / 8 * 8;
  const std::int64_t mc = cache.l2 / 2 / (lane * kc) / mr * mr;
  const std::int64_t nc = cache.l3 / 4 / (lane * kc) / (nr * width) * (nr * width);
  const std::int64_t rows = mc < 16 * mr ? mc : 16 * mr;  // a block's partial sums wait in a bounded stack buffer
  const std::int64_t columns = nc < 4096 ? nc : 4096 / (nr * width) * (nr * width);
  return {mr, nr, static_cast<int>(kc), static_cast<int>(rows), static_cast<int>(columns)};
}

}  // namespace tkl
