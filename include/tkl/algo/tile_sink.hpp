// SPDX-License-Identifier: Apache-2.0
// Where the sums of a contraction go: through the epilogue into the output.
//
//   for row of the tile: for vector of columns: out[row][column] = epilogue(sum, place)
//
// Where a row is one element, several rows make a vector.
#pragma once

#include <cstdint>
#include <tkl/algo/bounds.hpp>
#include <tkl/algo/row_space.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/node.hpp>
#include <tkl/schedule/gemm.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

/// Where finished sums go. A function pointer, so that the loop nest is compiled once for all epilogues; the most
/// frequent ones, which only bound a sum, are numbers to the register tile.
template <class M>
struct tile_sink {
  using function = void (*)(const void* context, const typename M::value* tile, const row_place* places, int rows,
                            std::int64_t column, int columns);
  const void* context = nullptr;
  function store = nullptr;
  typename M::scalar* out = nullptr;  // where an epilogue that only bounds is left to the tile: the output; else null
  value_bounds bounds{};
};

/// The output and the expression that is evaluated for each of its elements.
template <class TC, class E>
struct epilogue_context {
  TC* out = nullptr;
  E epilogue{};
};

/// Whether an expression depends on its sum alone, and so is the same at each place.
template <class E>
inline constexpr bool of_sum_alone = false;
template <>
inline constexpr bool of_sum_alone<acc_node> = true;
template <>
inline constexpr bool of_sum_alone<literal_node> = true;
template <class T>
inline constexpr bool of_sum_alone<scalar_node<T>> = true;
template <class F, class... Operands>
inline constexpr bool of_sum_alone<apply_node<F, Operands...>> = (of_sum_alone<Operands> && ...);

/// store_tile for one column and an expression of the sum alone: as many rows as there are lanes share a vector, so
/// that the mask of a single-channel output is not evaluated lane by lane. From two columns on, moving the sums
/// together costs more than the lanes that it fills.
template <class M, class TC, class E>
TKL_NOINLINE void store_one_column(const epilogue_context<TC, E>& c, const typename M::value* tile,
                                   const row_place* places, int rows, std::int64_t column) {
  const typename M::scalar* sums = reinterpret_cast<const typename M::scalar*>(tile);
  typename M::scalar gathered[M::width]{};
  TC results[M::width]{};
  for (int row = 0; row < rows; row += M::width) {
    const int lanes = rows - row < M::width ? rows - row : M::width;
    for (int i = 0; i < lanes; ++i) gathered[i] = sums[(row + i) * M::width];
    M::store(results, eval(c.epilogue, typename M::leaf{M::load(gathered), position{}, lanes}), lanes);
    for (int i = 0; i < lanes; ++i) c.out[places[row + i].out + column] = results[i];
  }
}

/// Evaluates the epilogue on `rows` x `columns` sums of a tile (whole vectors per row) and stores the results; the last
/// vector of a row is masked. A rolled loop: as fast as an unrolled one, and a fifth of its text.
template <class M, class TC, class E>
TKL_NOINLINE void store_tile(const void* context, const typename M::value* tile, const row_place* places, int rows,
                             std::int64_t column, int columns) {
  const auto& c = *static_cast<const epilogue_context<TC, E>*>(context);
  constexpr int width = M::width;
  if constexpr (width > 1 && of_sum_alone<E>) {
    if (columns == 1) return store_one_column<M>(c, tile, places, rows, column);
  }
  for (int i = 0; i < rows; ++i) {
    const std::int64_t(&outer)[3] = places[i].outer;
    position at{{outer[0], outer[1], outer[2]}, column};
    TC* out = c.out + (places[i].out + column);
    int left = columns;
    for (; left >= width; left -= width, out += width, at.column += width)
      M::store(out, eval(c.epilogue, typename M::leaf{*tile++, at, width}));
    if (left > 0) M::store(out, eval(c.epilogue, typename M::leaf{*tile++, at, left}), left);
  }
}

/// store_tile for a whole tile row of NV vectors: no masks, no inner loop.
template <class M, int NV, class TC, class E>
TKL_NOINLINE void store_whole_tile(const void* context, const typename M::value* tile, const row_place* places,
                                   int rows, std::int64_t column, int columns) {
  constexpr int width = M::width;
  if (columns != NV * width) return store_tile<M, TC, E>(context, tile, places, rows, column, columns);
  const auto& c = *static_cast<const epilogue_context<TC, E>*>(context);
  for (int i = 0; i < rows; ++i, tile += NV) {
    const std::int64_t(&outer)[3] = places[i].outer;
    TC* out = c.out + (places[i].out + column);
    TKL_UNROLL
    for (int j = 0; j < NV; ++j) {
      const position at{{outer[0], outer[1], outer[2]}, column + j * width};
      M::store(out + j * width, eval(c.epilogue, typename M::leaf{tile[j], at, width}));
    }
  }
}

template <gemm_schedule S, class M, class TC, class E>
TKL_FN tile_sink<M> sink_of(const epilogue_context<TC, E>& context) {
  tile_sink<M> sink{.context = &context, .store = &store_whole_tile<M, S.nr, TC, E>};
  if constexpr (only_bounds<E> && std::is_same_v<TC, typename M::scalar>) {
    sink.bounds = bounds_of(context.epilogue);
    if (sink.bounds.ordered()) sink.out = context.out;
  }
  return sink;
}

TKL_ISA_END
}  // namespace tkl
