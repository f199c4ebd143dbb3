// SPDX-License-Identifier: Apache-2.0
// Batched matrix products c = epilogue(a * b), with the second operand packed beforehand or plain.
//
// Tensors are [outer batch, inner batch, row, column]; the epilogue's place is {outer batch, inner batch, row}, column.
// Extents may be 0: without rows or columns nothing is written, without depth the sums are the bias. The second operand
// is not scaled by any factor, so no "alpha" or "beta" can turn a NaN into a number or read an output before it is
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/strided4.hpp>
#include <tkl/config.hpp>
#include <type_traits>

namespace tkl {

/// c[b0, b1, i, j] = sum over k of a[b0, b1, i, k] * b[k, j], with b packed (algo/pack.hpp) for the same schedule.
template <class TA, class TW, class TC>
struct packed_matmul_problem {
  strided4<const TA> a{};  // extents: batches, rows, depth
  const TW* b = nullptr;   // packed_matrix_elements, 64-byte aligned
  strided4<TC> c{};        // extents: batches, rows, columns
};

/// How a plain second operand, or a transposed first one, lies in memory.
struct matmul_layout {
  bool transpose_a = false;  // a[b0, b1, k, i]
  bool transpose_b = false;  // b[b0, b1, j, k]
};

/// c[b0, b1, i, j] = sum over k of a[b0, b1, i, k] * b[b0, b1, k, j]; a batch stride of 0 in b (or a) repeats it.
/// a.shape and b.shape are as the operands lie in memory: their last two extents are exchanged when transposed.
template <class TA, class TB, class TC>
struct matmul_problem {
  strided4<const TA> a{};
  strided4<const TB> b{};
  strided4<TC> c{};
  matmul_layout layout{};
};

/// Bytes of scratch per worker of a matmul with a plain second operand: one packed panel, and one block of rows of the
/// first operand when that is transposed. `scalar_bytes`: 4 on f32 machines, 8 on the reference machine.
TKL_TAGGED constexpr std::int64_t matmul_scratch_bytes(const gemm_schedule& s, int width, std::int64_t depth,
                                                       matmul_layout layout, std::int64_t scalar_bytes = 4) {
  const std::int64_t panel = round_up((depth + 1) * (s.nr + 1) * width * scalar_bytes, 64);
  return panel + (layout.transpose_a ? round_up(block_rows(s, 1) * depth * scalar_bytes, 64) : 0);
}

TKL_ISA_BEGIN

/// The rows of a and c as a contraction's rows: one tap, nothing outside.
constexpr row_space matmul_rows(const strided_shape& a, const strided_shape& c) {
  row_space s;
  for (int i = 0; i < 3; ++i) {
    s.extent[i] = c.extent[i];
    s.in_stride[i] = a.stride[i];
    s.out_stride[i] = c.stride[i];
  }
  s.in_extent[0] = c.extent[1];
  s.in_extent[1] = c.extent[2];
  return s;
}

/// Matrix product with packed second operand. Needs no scratch.
template <gemm_schedule S, class M, class TA, class TW, class TC, class E, class X>
void matmul(const packed_matmul_problem<TA, TW, TC>& p, const E& epilogue, const X& executor) {
  const epilogue_context<TC, E> context{p.c.data, epilogue};
  contraction<M, TA, TW> c{.space = matmul_rows(p.a.shape, p.c.shape), .a = p.a.data, .panels = p.b};
  c.depth = p.a.shape.extent[3];
  c.columns = p.c.shape.extent[3];
  c.sink = sink_of<S, M>(context);
  executor.parallel_for(contraction_parts<S>(c), [&](std::int64_t begin, std::int64_t end, int) {
    one_tap_scratch<S> pointers;
    contract<S>(c, begin, end, pointers.bytes);
  });
}

/// Copies the columns [0, count) of a matrix into packed panels without bias, row by row, so that memory is read in
/// order.
template <gemm_schedule S, class M, class TB>
TKL_NOINLINE void stage_panels(const TB* b, std::int64_t depth_stride, std::int64_t column_stride, std::int64_t depth,
                               std::int64_t count, typename M::scalar* panels) {
  constexpr panel_shape shape = panels_of(S.nr, M::width);
  constexpr int width = M::width;
  const std::int64_t odd = panel_count(count, shape) - 1;  // the last panel may be narrower or wider than the others
  const std::int64_t whole = column_stride == 1 && odd >= 0 ? odd : 0;
  for (std::int64_t k = -1; k < depth; ++k) {
    const TB* from = k < 0 ? b : b + k * depth_stride;
    typename M::scalar* to = panels + (1 + k) * shape.panel;
    std::int64_t first = 0;
    for (; k >= 0 && first < whole * shape.panel; first += shape.panel, to += shape.panel * (1 + depth)) TKL_UNROLL
    for (int j = 0; j < S.nr; ++j) M::store(to + j * width, M::load(from + (first + j * width)));
    for (std::int64_t used = 0; first < count; first += used) {
      used = panel_columns(count - first, shape);
      const std::int64_t stored = round_up(used, width);
      to = panels + first * (1 + depth) + (1 + k) * stored;
      for (std::int64_t j = 0; j < stored; j += width) {
        const int lanes = k < 0 ? 0 : static_cast<int>(used - j < width ? used - j : width);
        M::store(to + j, column_stride == 1
                             ? M::load(from + (first + j), lanes)
                             : M::load_strided(from + (first + j) * column_stride, column_stride, lanes));
      }
    }
  }
}

/// Copies rows [first, first + count) of a matrix that lies transposed (a[k * stride + i]) one after the other.
template <class M, class TA>
TKL_NOINLINE void stage_rows(const TA* a, std::int64_t stride, std::int64_t depth, std::int64_t first,
                             std::int64_t count, typename M::scalar* rows) {
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < depth; k += M::width) {
      const int lanes = static_cast<int>(depth - k < M::width ? depth - k : M::width);
      M::store(rows + (i * depth + k), M::load_strided(a + (k * stride + first + i), stride, lanes), lanes);
    }
}

/// Matrix product with plain operands, for plans and small eager calls: a panel of b is packed into scratch when a
/// worker first meets it, then meets all rows. (gemm.hpp has the driver for large single products.)
///   for batch: for panel: pack; for block of rows: (copy the block when a is transposed); contract
/// `scratch`: executor.workers() times matmul_scratch_bytes, 64-byte aligned.
template <gemm_schedule S, class M, class TA, class TB, class TC, class E, class X>
void matmul(const matmul_problem<TA, TB, TC>& p, const E& epilogue, const X& executor, std::byte* scratch) {
  using scalar = typename M::scalar;
  constexpr panel_shape shape = panels_of(S.nr, M::width);
  constexpr std::int64_t block = block_rows(S, 1);
  const strided_shape &a = p.a.shape, &b = p.b.shape, &c = p.c.shape;
  const std::int64_t depth = a.extent[p.layout.transpose_a ? 2 : 3], rows = c.extent[2], columns = c.extent[3];
  const std::int64_t panels = panel_count(columns, shape), blocks = ceil_div(rows, block);
  const std::int64_t bytes = matmul_scratch_bytes(S, M::width, depth, p.layout, sizeof(scalar));
  const std::int64_t panel_bytes = matmul_scratch_bytes(S, M::width, depth, {}, sizeof(scalar));

  const std::int64_t b_row = p.layout.transpose_b ? 1 : b.stride[2], b_column = p.layout.transpose_b ? b.stride[2] : 1;
  const epilogue_context<TC, E> context{p.c.data, epilogue};
  const auto run = [&](std::int64_t begin, std::int64_t end, int worker) {
    std::byte* own = scratch + worker * bytes;
    scalar* panel = reinterpret_cast<scalar*>(own);
    scalar* staged = reinterpret_cast<scalar*>(own + panel_bytes);
    one_tap_scratch<S> pointers;
    std::int64_t packed = -1;
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t first_row = part % blocks * block, unit = part / blocks;
      const std::int64_t first_column = unit % panels * shape.panel, batch = unit / panels;
      const std::int64_t b0 = batch / c.extent[1], b1 = batch % c.extent[1];
      const std::int64_t count = rows - first_row < block ? rows - first_row : block;
      const std::int64_t width = panel_columns(columns - first_column, shape);
      if (packed != unit)
        stage_panels<S, M>(p.b.data + (b0 * b.stride[0] + b1 * b.stride[1] + first_column * b_column), b_row, b_column,
                           depth, width, panel);
      packed = unit;

      const TA* matrix = p.a.data + (b0 * a.stride[0] + b1 * a.stride[1]);
      row_space space = matmul_rows(a, c);
      for (int i = 0; i < 2; ++i) space.extent[i] = space.in_extent[i] = 1;
      space.extent[2] = space.in_extent[1] = count;
      space.out_first[0] = b0, space.out_first[1] = b1, space.out_first[2] = first_row;
      const auto contract_block = [&](const auto* from, std::int64_t row_stride) {
        using T = std::remove_cvref_t<decltype(*from)>;
        space.in_stride[2] = row_stride;
        contraction<M, T, scalar> block_problem{.space = space, .a = from, .panels = panel};
        block_problem.depth = depth;
        block_problem.columns = width;
        block_problem.first_column = first_column;
        block_problem.sink = sink_of<S, M>(context);
        contract<S>(block_problem, 0, 1, pointers.bytes);
      };
      if (p.layout.transpose_a) {
        stage_rows<M>(matrix, a.stride[2], depth, first_row, count, staged);
        contract_block(static_cast<const scalar*>(staged), depth);
      } else {
        contract_block(matrix + first_row * a.stride[2], a.stride[2]);
      }
    }
  };
  executor.parallel_for(c.extent[0] * c.extent[1] * panels * blocks, run);
}

TKL_ISA_END
}  // namespace tkl
