// SPDX-License-Identifier: Apache-2.0
// The register tile of every contraction: matrix products and convolutions differ only in where their rows lie.
//
//   acc[i][j] = 0
//   for tap in taps:
//     for k in depth:                               one row of the packed panel
//       acc[i][j] += rows[tap][i][first + k] * panel[tap][k][j]        i < MR rows, j < NV vectors
//   out[i][j] = bounded(acc[i][j] + (bias row, or tile[i][j] of the strip before))
//
// Each strip is summed by itself, the bias comes last: long sums round as short ones do (blocked summation; Higham,
// "Accuracy and Stability of Numerical Algorithms", 4.2).
//
// Rows come through pointers (one per tap and row), so that padding is a row of zeros and no im2col buffer exists
// (Dukhan, "The Indirect Convolution Algorithm", 2019). The sums leave as a tile in memory, from which the caller
// evaluates its epilogue: all epilogues share these functions. Those that only bound their value need no such detour:
// the results go straight to the output. One call computes several tiles, one below the other.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tkl/algo/bounds.hpp>
#include <tkl/algo/ordered_products.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// What one pass of the tile reads. Pointers need no alignment beyond that of their element.
template <class TA, class TW>
struct tile_pass {
  const TA* const* rows = nullptr;  // MR pointers for the first tap
  std::int64_t row_step = 0;        // pointers from one tap to the next
  std::int64_t first = 0;           // element of each row at which the pass starts
  std::int64_t taps = 0;
  std::int64_t depth = 0;               // products per tap
  const TW* panel = nullptr;            // taps * depth rows of NV vectors, without gaps
  const bias_type<TW>* bias = nullptr;  // NV vectors to add to the sums; null: add the tile
  std::int64_t tiles = 1;               // tiles one below the other, MR pointers each
  void* out = nullptr;               // first row of the results in memory, scalars of the machine; null: into the tile
  std::int64_t out_step = 0;         // scalars from one row of the results to the next
  value_bounds bounds{};             // of the results
  const std::byte* ahead = nullptr;  // what is needed soon: each tile fetches its share while it computes
  std::int64_t ahead_step = 0;       // bytes of a share
};

/// Sums that go on side by side for one accumulator: a small tile alone could not hide the latency of its additions.
constexpr int interleaved_sums(int accumulators) {
  return accumulators >= 6 ? 1 : accumulators >= 3 ? 2 : 4;
}

/// The tile of MR rows by NV vectors. Its own function: inlined into a loop nest, g++ 12 spills accumulators.
template <class M, int MR, int NV, class TA, class TW>
TKL_NOINLINE void contract_tile(const tile_pass<TA, TW>& given, typename M::value* tile) {
  using value = typename M::value;
  using scalar = typename M::scalar;
  constexpr int sums = interleaved_sums(MR * NV);
  // Products per turn: one for the largest and widest tiles, because with more sums leave the registers; two for the
  // small ones, which finish blocks, and whose code shall stay small.
  constexpr int unrolled = sums > 1 ? sums : MR * NV > 16 || NV > 2 ? 1 : MR * NV < 12 ? 2 : 4;
  constexpr bool ordered = M::ordered_registers > 0 && sums == 1;
  // Lines are fetched two by two: in a burst, they keep the tile's own misses waiting. The pointers to more rows leave
  // no register for that.
  constexpr bool fetches = !ordered && unrolled == 4 && MR <= 8;
  const tile_pass<TA, TW> pass = given;  // a copy: results may not overwrite it
  const TA* const* tile_rows = pass.rows;
  value bias[NV];
  const value* start = tile;
  std::int64_t start_step = NV;
  if (pass.bias) {
    for (int j = 0; j < NV; ++j) bias[j] = M::load(pass.bias + j * M::width);
    start = bias, start_step = 0;
  }
  scalar* out = pass.out ? static_cast<scalar*>(pass.out) : reinterpret_cast<scalar*>(tile);
  const std::int64_t out_step = pass.out ? pass.out_step : NV * M::width;
  const std::byte* ahead = pass.ahead;
  // Bytes per turn, at most two lines: at least four tiles share a strip of panels, two panels a row.
  [[maybe_unused]] std::int64_t fetched_per_turn = 0;
  if constexpr (fetches) {
    if (pass.ahead_step > 0) fetched_per_turn = unrolled * pass.ahead_step / (pass.taps * pass.depth) + 1;
  }
  for (std::int64_t left = pass.tiles; left > 0; --left, tile_rows += MR, ahead += pass.ahead_step) {
    value acc[sums][MR][NV];
    TKL_UNROLL
    for (int i = 0; i < MR; ++i) TKL_UNROLL
    for (int j = 0; j < NV; ++j) {
      TKL_UNROLL
      for (int s = 0; s < sums; ++s) acc[s][i][j] = M::zero();
    }

    const TW* panel = pass.panel;
    [[maybe_unused]] const std::byte* fetched = ahead;
    if constexpr (!fetches)
      for (std::int64_t i = 0; i < pass.ahead_step; i += 64) __builtin_prefetch(ahead + i, 0, 2);
    const TA* const* rows = tile_rows;
    for (std::int64_t tap = 0; tap < pass.taps; ++tap, rows += pass.row_step) {
      const TA* a[MR];
      TKL_UNROLL
      for (int i = 0; i < MR; ++i) a[i] = rows[i] + pass.first;

      if constexpr (ordered) {
        ordered_products<M>(
            acc[0], pass.depth, [&](std::int64_t k, int i) { return M::factor_of(a[i] + k); },
            [&](std::int64_t k, int j) { return M::load(panel + (k * NV + j) * M::width); });
        panel += pass.depth * NV * M::width;
        continue;
      }
      const auto step = [&](std::int64_t k, auto& sum) __attribute__((always_inline)) {
        value b[NV];
        TKL_UNROLL
        for (int j = 0; j < NV; ++j) {
          b[j] = M::load(panel + j * M::width);
          M::not_sooner(b[j]);
          if constexpr (NV > 2) M::in_register(b[j]);
        }
        TKL_UNROLL
        for (int i = 0; i < MR; ++i) {
          if constexpr (NV > 2) {
            if (i > 0) M::load_after(a[i], sum[i - 1][NV - 1]);
          }
          const value x = M::broadcast(a[i] + k);
          TKL_UNROLL
          for (int j = 0; j < NV; ++j) M::mac_in_place(sum[i][j], x, b[j]);
        }
        panel += NV * M::width;
      };
      std::int64_t k = 0;
      for (; k + unrolled <= pass.depth; k += unrolled) {
        if constexpr (fetches) {
          __builtin_prefetch(fetched, 0, 2);
          __builtin_prefetch(fetched + 64, 0, 2);
          fetched += fetched_per_turn;
        }
        TKL_UNROLL
        for (int s = 0; s < unrolled; ++s) step(k + s, acc[s % sums]);
      }
      for (; k < pass.depth; ++k) step(k, acc[0]);
    }

    const value low = M::splat(static_cast<scalar>(pass.bounds.low)),
                high = M::splat(static_cast<scalar>(pass.bounds.high));
    TKL_UNROLL
    for (int i = 0; i < MR; ++i, out += out_step, start += start_step) TKL_UNROLL
    for (int j = 0; j < NV; ++j) {
      value total = acc[0][i][j];
      TKL_UNROLL
      for (int s = 1; s < sums; ++s) total = total + acc[s][i][j];
      total = total + start[j];
      M::store(out + j * M::width, math<value>::at_most(math<value>::at_least(total, low), high));
    }
  }
}

/// Rows of the tile that is one vector wider than the schedule's: as many accumulators, in another shape.
constexpr int wide_tile_rows(int mr, int nr) {
  return nr > 1 && mr * nr > nr ? mr * nr / (nr + 1) : 0;
}

/// Rows of the next tile where `left` rows are left: `most`, or for the rest of a block the powers of two below it, the
/// largest first. Fewer heights are fewer functions, and a rest is rare.
constexpr int tile_height(std::int64_t left, int most) {
  return left >= most ? most : static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(left)));
}

/// The tiles of 1 to NV vectors and MR rows, of NV + 1 vectors and wide_tile_rows(MR, NV) rows, and those less high.
template <class M, int MR, int NV, class TA, class TW>
struct tile_table {
  using function = void (*)(const tile_pass<TA, TW>&, typename M::value*);
  static constexpr int wide_rows = wide_tile_rows(MR, NV);

  /// Tiles of `most` rows and less: heights 1, 2, 4, ... below `most`, then `most`.
  static constexpr int heights(int most) {
    return most > 0 ? static_cast<int>(std::bit_width(static_cast<unsigned>(most - 1))) + 1 : 0;
  }

  TKL_FN static function get(int rows, int vectors) {
    const bool wide = vectors > NV;
    const int most = wide ? wide_rows : MR;
    const int height = rows == most ? heights(most) - 1 : std::countr_zero(static_cast<unsigned>(rows));
    return functions[static_cast<std::size_t>(wide ? NV * heights(MR) + height : (vectors - 1) * heights(MR) + height)];
  }

 private:
  template <int Index>
  static constexpr function entry() {
    constexpr bool wide = Index >= NV * heights(MR);
    constexpr int most = wide ? wide_rows : MR, height = wide ? Index - NV * heights(MR) : Index % heights(MR);
    constexpr int rows = height + 1 == heights(most) ? most : 1 << height;
    return &contract_tile < M, rows, wide ? NV + 1 : Index / heights(MR) + 1, TA, TW > ;
  }
  static constexpr auto functions = []<int... Index>(std::integer_sequence<int, Index...>) {
    return std::array<function, sizeof...(Index)>{entry<Index>()...};
  }
  (std::make_integer_sequence<int, NV * heights(MR) + heights(wide_rows)>{});
};

TKL_ISA_END
}  // namespace tkl
