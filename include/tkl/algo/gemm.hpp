// SPDX-License-Identifier: Apache-2.0
// The driver for large matrix products of plain operands, packing inside the call.
//
//   for batch:
//     for block of nc columns:                    as many as keep the packed block within nc * kc elements
//       pack b: the whole depth of the block      in parallel over panels, into shared scratch
//       for block of mc rows: (copy the rows of a when they lie transposed)
//         for panel, strip, tile: see algo/contraction.hpp
//
// Packing the whole depth keeps partial sums out of the output: each element is written once, after its complete sum,
// in any element type and with any epilogue. Rows of a are read where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/matmul.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>

namespace tkl {

/// Columns that gemm packs at a time: whole panels, at least one.
TKL_TAGGED constexpr std::int64_t gemm_block_columns(const gemm_schedule& s, int width, std::int64_t columns,
                                                     std::int64_t depth) {
  const std::int64_t panel = std::int64_t{s.nr} * width;
  const std::int64_t fitting = std::int64_t{s.nc} * s.kc / (depth > 0 ? depth : 1) / panel * panel;
  const std::int64_t wanted = fitting > panel ? fitting : panel;
  return columns < wanted ? columns : wanted;
}

/// Bytes of scratch of one call: the packed block, then for each worker a block of rows when a is transposed.
TKL_TAGGED constexpr std::int64_t gemm_scratch_bytes(const gemm_schedule& s, int width, std::int64_t columns,
                                                     std::int64_t depth, matmul_layout layout, int workers,
                                                     std::int64_t scalar_bytes = 4) {
  const std::int64_t block = gemm_block_columns(s, width, columns, depth);
  const std::int64_t rows = layout.transpose_a ? round_up(block_rows(s, 1) * depth * scalar_bytes, 64) : 0;
  return round_up(packed_matrix_elements(depth, block, width) * scalar_bytes, 64) + workers * rows;
}

TKL_ISA_BEGIN

/// c = epilogue(a * b). `scratch`: gemm_scratch_bytes, 64-byte aligned.
template <gemm_schedule S, class M, class TA, class TB, class TC, class E, class X>
void gemm(const matmul_problem<TA, TB, TC>& p, const E& epilogue, const X& executor, std::byte* scratch) {
  using scalar = typename M::scalar;
  constexpr panel_shape shape = panels_of(S.nr, M::width);
  constexpr std::int64_t rows_of_block = block_rows(S, 1);
  const strided_shape &a = p.a.shape, &b = p.b.shape, &c = p.c.shape;
  const std::int64_t depth = a.extent[p.layout.transpose_a ? 2 : 3], rows = c.extent[2], columns = c.extent[3];
  const std::int64_t b_row = p.layout.transpose_b ? 1 : b.stride[2], b_column = p.layout.transpose_b ? b.stride[2] : 1;
  const std::int64_t block = gemm_block_columns(S, M::width, columns, depth);
  const std::int64_t packed_bytes =
      round_up(packed_matrix_elements(depth, block, M::width) * std::int64_t{sizeof(scalar)}, 64);
  const std::int64_t staged =
      p.layout.transpose_a ? round_up(rows_of_block * depth, 64 / std::int64_t{sizeof(scalar)}) : 0;
  scalar* packed = reinterpret_cast<scalar*>(scratch);
  scalar* staged_rows = reinterpret_cast<scalar*>(scratch + packed_bytes);
  const epilogue_context<TC, E> context{p.c.data, epilogue};
  if (rows == 0) return;

  for (std::int64_t b0 = 0; b0 < c.extent[0]; ++b0)
    for (std::int64_t b1 = 0; b1 < c.extent[1]; ++b1)
      for (std::int64_t first = 0; first < columns; first += block) {
        const std::int64_t count = columns - first < block ? columns - first : block;
        const TB* from = p.b.data + (b0 * b.stride[0] + b1 * b.stride[1] + first * b_column);
        const std::int64_t panels = panel_count(count, shape);
        executor.parallel_for(panels, [&](std::int64_t begin, std::int64_t end, int) {
          const std::int64_t left = begin * shape.panel, right = end < panels ? end * shape.panel : count;
          stage_panels<S, M>(from + left * b_column, b_row, b_column, depth, right - left, packed + left * (1 + depth));
        });

        row_space space = matmul_rows(a, c);
        for (int i = 0; i < 2; ++i) space.extent[i] = space.in_extent[i] = 1;
        space.in_extent[1] = rows;
        space.out_first[0] = b0, space.out_first[1] = b1;
        const TA* matrix = p.a.data + (b0 * a.stride[0] + b1 * a.stride[1]);
        if (!p.layout.transpose_a) {
          contraction<M, TA, scalar> whole{
              .space = space, .a = matrix, .panels = packed, .depth = depth, .columns = count};
          whole.first_column = first;
          whole.sink = sink_of<S, M>(context);
          executor.parallel_for(contraction_parts<S>(whole), [&](std::int64_t begin, std::int64_t end, int) {
            one_tap_scratch<S> pointers;
            contract<S>(whole, begin, end, pointers.bytes);
          });
          continue;
        }
        executor.parallel_for(ceil_div(rows, rows_of_block), [&](std::int64_t begin, std::int64_t end, int worker) {
          one_tap_scratch<S> pointers;
          scalar* own = staged_rows + worker * staged;
          for (std::int64_t part = begin; part < end; ++part) {
            const std::int64_t row = part * rows_of_block,
                               height = rows - row < rows_of_block ? rows - row : rows_of_block;
            stage_rows<M>(matrix, a.stride[2], depth, row, height, own);
            contraction<M, scalar, scalar> rest{
                .space = space, .a = own, .panels = packed, .depth = depth, .columns = count};
            rest.space.extent[2] = rest.space.in_extent[1] = height;
            rest.space.in_stride[2] = depth;
            rest.space.out_first[2] = row;
            rest.first_column = first;
            rest.sink = sink_of<S, M>(context);
            contract<S>(rest, 0, contraction_parts<S>(rest), pointers.bytes);
          }
        });
      }
}

TKL_ISA_END
}  // namespace tkl
