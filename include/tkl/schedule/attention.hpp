// SPDX-License-Identifier: Apache-2.0
// How attention is cut: register tiles, blocks of queries, tiles of keys, and the scratch memory that follows.
#pragma once

#include <cstdint>
#include <tkl/core/checked.hpp>

namespace tkl {

/// `mr` rows by `nr` vectors is the register tile of both products: keys by queries, then queries by values. A block
/// has `queries` vectors of queries; scores of `keys` keys are kept at a time.
struct attention_schedule {
  int mr = 6;
  int nr = 2;
  int queries = 6;
  int keys = 96;
  constexpr bool operator==(const attention_schedule&) const = default;
};

/// Blocks are whole register tiles on a machine of this width.
template <attention_schedule S, int Width>
concept attention_tiles_whole = S.mr > 0 && S.nr > 0 && S.queries > 0 && S.keys > 0 && S.keys % S.mr == 0 &&
                                S.queries % S.nr == 0 && S.queries* Width % S.mr == 0;

/// Whether the register tile stays in the registers of Arch.
template <attention_schedule S, class Arch>
concept attention_fits_registers = S.mr* S.nr + S.nr + 1 <= Arch::registers;

/// Bytes of scratch for one worker, a multiple of 64: a block's queries, its scores against one tile of keys, its sums
/// of values, three numbers per query. `scalar_bytes`: 4, on the reference machine 8. `depth`, `value_depth`: of one
/// head.
constexpr std::int64_t attention_scratch_bytes(const attention_schedule& s, int width, std::int64_t scalar_bytes,
                                               std::int64_t depth, std::int64_t value_depth) {
  const std::int64_t lanes = std::int64_t{s.queries} * width;
  return round_up(scalar_bytes * lanes * (depth + s.keys + round_up(value_depth, width) + 3), 64);
}

}  // namespace tkl
