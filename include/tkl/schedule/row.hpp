// SPDX-License-Identifier: Apache-2.0
// Schedule of the row operations: softmax, layer normalisation, reductions along columns.
#pragma once

namespace tkl {

struct row_schedule {
  int vectors = 4;  // accumulators per row: enough to hide the latency of an addition
  int buffer =
      8192;  // softmax: rows up to this length keep their exponentials on the stack, longer ones compute them twice
  constexpr bool operator==(const row_schedule&) const = default;
};

template <row_schedule S>
concept valid_row_schedule = S.vectors >= 1 && S.vectors <= 8 && S.buffer >= 64 && S.buffer <= 16384;

}  // namespace tkl
