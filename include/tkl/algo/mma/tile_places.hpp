// SPDX-License-Identifier: Apache-2.0
// What algorithms of blocks share: from a number to a place of the output, the columns' biases, the part of the depth
// that a block sums.
//
// Where few tiles would leave most of a GPU idle, blocks along the third dimension share the depth: each sums its part
// of the slices, and the parts' outputs lie one after the other along the batch axis. The first part has the bias.
#pragma once

#include <cstdint>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Slices that a block sums.
struct slice_range {
  std::int32_t begin, end;
};
template <class M>
TKL_FN slice_range slices_of_block(const M& m, std::int32_t slices) {
  const std::int32_t part = m.block(2), parts = m.parts();
  return {slices * part / parts, slices * (part + 1) / parts};
}

/// Place `number` of the output, counted along columns, rows and batch, in the block's part; its first column is c.
template <class M>
TKL_FN typename M::place place_of_number(const M& m, std::int32_t number, std::int32_t c) {
  const std::int32_t width = m.extent(role::out, 2), height = m.extent(role::out, 1), line = number / width;
  return {line / height + m.block(2) * m.extent(role::out, 0), line % height, number % width, c};
}

/// Bias of a column, counted from panel `panel` on; zero beyond the last of `panels`.
template <class M>
TKL_FN float bias_of(const M& m, std::int32_t column, std::int32_t panel, std::int32_t panels,
                     std::int32_t panel_size) {
  return column / 4 < panels && m.block(2) == 0 ? m.weight((panel + column / 4) * panel_size + column % 4) : 0.0f;
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
