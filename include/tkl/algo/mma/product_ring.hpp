// SPDX-License-Identifier: Apache-2.0
// Matrix products with packed weights, and convolutions of stride 1, by warpgroups. One block computes a box of S.rows
// places of the output by S.columns columns of a group; its first warpgroup fetches, the others multiply.
//
//   first thread                                  each other warpgroup, 64 rows
//     for tap, slice of its channels                sums = bias row
//       wait until a stage of the ring is free      for tap, slice of its channels
//       fetch x[places + tap, slice]                  wait until the slice is there
//       fetch weights[slice, columns]                 for 32 bytes of it:  sums += x weights    one instruction
//                                                     the slice before is summed: its stage is free
//                                                   epilogue, store
//
// x is fetched through a tensor map, which puts its vectors in the order of algo/mma/matrix_tile.hpp and zeros beyond
// its channels and its borders. Weights were brought into that order when they were loaded: a tile of them is one run
// of bytes, and needs no map.
//
// A machine M of warpgroups has, besides what tile_places.hpp asks for,
//   thread(), block(d), parts()             as in algo/mma/conv2d.hpp
//   vector                                  elements of x in 16 bytes
//   shared()                                address of the block's shared memory, in bytes
//   begin_barrier(b, arrivals), begun()     makes a barrier at an address; all threads see them
//   expect(b, bytes), arrive(b)             an arrival, with that many bytes to come
//   wait(b, phase)                          until phase number `phase` is over: all arrived, all bytes are there
//   space()                                 the output's places as tiles
//   fetch_rows(to, b, channel, group, column, row, n), fetch_columns(to, b, tile)    asynchronously; b gets their bytes
//   begin_products(), end_products()        open and close a group of products, which are asynchronous
//   multiply(sums, x, weights)              by descriptors
//   wait_products<N>()                      at most N groups are left
//   pin(sums)                               the compiler moves no access to them across this place
//   finish(d0, d1, place, end)              the epilogue of two neighbouring columns, stored; none from `end` on
#pragma once

#include <cstdint>
#include <tkl/algo/mma/matrix_tile.hpp>
#include <tkl/algo/mma/tile_places.hpp>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/ring.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Where the ring lies in shared memory.
template <ring_schedule S>
struct ring_places {
  std::uint32_t first;
  TKL_FN explicit ring_places(std::uint32_t shared) : first((shared + S.alignment - 1) / S.alignment * S.alignment) {}

  TKL_FN std::uint32_t rows(int stage) const { return first + static_cast<std::uint32_t>(stage * S.stage_bytes()); }
  TKL_FN std::uint32_t columns(int stage) const { return rows(stage) + S.rows_bytes(); }
  /// Barriers: the stage's slice is there; its stage is free.
  TKL_FN std::uint32_t full(int stage) const { return rows(S.stages) + static_cast<std::uint32_t>(8 * stage); }
  TKL_FN std::uint32_t free(int stage) const { return full(S.stages + stage); }
};

/// The first thread's part. `first`: the first place of the block's box; `first_tile`: the weights' tile of the block's
/// columns and of slice 0; `tap_slices`: slices of a tap.
template <ring_schedule S, class M>
TKL_FN void ring_fetch(M& m, const ring_places<S>& ring, slice_range slices, std::int32_t group,
                       const std::int32_t (&first)[3], std::int32_t first_tile, std::int32_t tap_slices) {
  constexpr std::int32_t slice_depth = 8 * M::vector;
  const std::int32_t taps = m.parameter(parameter::kernel, 1);
  for (std::int32_t s = 0; s < slices.end - slices.begin; ++s) {
    const int stage = s % S.stages;
    if (s >= S.stages) m.wait(ring.free(stage), s / S.stages - 1);
    m.expect(ring.full(stage), S.stage_bytes());
    const std::int32_t slice = slices.begin + s, tap = slice / tap_slices;
    const std::int32_t right = tap % taps * m.parameter(parameter::dilation, 1) - m.parameter(parameter::pad, 1);
    const std::int32_t down = tap / taps * m.parameter(parameter::dilation, 0) - m.parameter(parameter::pad, 0);
    m.fetch_rows(ring.rows(stage), ring.full(stage), slice % tap_slices * slice_depth, group, first[0] + right,
                 first[1] + down, first[2]);
    m.fetch_columns(ring.columns(stage), ring.full(stage), first_tile + slice);
  }
}

/// sums += the products of all slices, one at least, for the warpgroup's rows, which begin at line `line` of the
/// block's. The first slice stands apart: where sums reach products by a loop's entry and by its end, nvcc 13 issues
/// each product by itself.
template <ring_schedule S, class M>
TKL_FN void ring_multiply(M& m, const ring_places<S>& ring, slice_range slices, int line,
                          float (&sums)[S.columns / 2]) {
  const bool signals = m.thread() % 32 == 0;  // for its warp
  const std::int32_t count = slices.end - slices.begin;
  const auto multiply = [&](std::int32_t s) {
    const int stage = s % S.stages;
    const std::uint64_t x = tile_descriptor(ring.rows(stage) + static_cast<std::uint32_t>(S.line_bytes * line));
    const std::uint64_t w = tile_descriptor(ring.columns(stage));
    m.wait(ring.full(stage), s / S.stages);
    m.begin_products();
    TKL_UNROLL
    for (unsigned step = 0; step < S.line_bytes / 32; ++step) m.multiply(sums, x + 2 * step, w + 2 * step);
    m.end_products();
  };
  m.pin(sums);
  multiply(0);
  for (std::int32_t s = 1; s < count; ++s) {
    multiply(s);
    m.template wait_products<1>();
    if (signals) m.arrive(ring.free((s - 1) % S.stages));
  }
  m.template wait_products<0>();
  m.pin(sums);
}

}  // namespace impl

template <ring_schedule S, class M>
TKL_FN void product_ring(M& m) {
  static_assert(valid_ring_schedule<S>);
  const std::int32_t groups = m.parameter(parameter::groups, 0), group = m.block(1);
  const std::int32_t depth = m.extent(role::in, 3) / groups, own = m.extent(role::out, 3) / groups;
  const std::int32_t taps = m.parameter(parameter::kernel, 0) * m.parameter(parameter::kernel, 1);
  const std::int32_t column_tiles = (own + S.columns - 1) / S.columns;
  const ring_space& space = m.space();
  const ring_tile tile = tile_of_block(m.block(0), static_cast<std::int32_t>(space.tiles()), column_tiles, S.stripe);
  const std::int32_t first[] = {tile.row % space.tiles(0) * space.box[0],
                                tile.row / space.tiles(0) % space.tiles(1) * space.box[1],
                                tile.row / space.tiles(0) / space.tiles(1) * space.box[2]};
  const std::int32_t tap_slices = (depth + 8 * M::vector - 1) / (8 * M::vector), all_slices = taps * tap_slices;
  const impl::slice_range slices = impl::slices_of_block(m, all_slices);
  const impl::ring_places<S> ring(m.shared());
  if (m.thread() == 0)
    for (int stage = 0; stage < S.stages; ++stage) {
      m.begin_barrier(ring.full(stage), 1);
      m.begin_barrier(ring.free(stage), 4 * S.consumers());  // one for each warp
    }
  m.begun();

  const int consumer = m.thread() / S.group_threads - 1;
  if (consumer < 0) {
    if (m.thread() == 0)
      impl::ring_fetch<S>(m, ring, slices, group, first, (group * column_tiles + tile.column) * all_slices, tap_slices);
    return;
  }

  const std::int32_t first_column = tile.column * S.columns;
  const std::int32_t panel_size = 4 * (taps * depth + 1), group_panels = (own + 3) / 4;
  const std::int32_t panel = group * group_panels + first_column / 4, panels = group_panels - first_column / 4;
  // Sum i of a thread is at row 16 warp + lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2.
  const int warp = m.thread() / 32 % 4, lane = m.thread() % 32;
  float sums[S.columns / 2];
  TKL_UNROLL
  for (int j = 0; j < S.columns / 8; ++j) {
    TKL_UNROLL
    for (int c = 0; c < 2; ++c)
      sums[4 * j + c] = sums[4 * j + 2 + c] = impl::bias_of(m, 8 * j + 2 * (lane % 4) + c, panel, panels, panel_size);
  }
  impl::ring_multiply<S>(m, ring, slices, consumer * S.group_rows, sums);

  TKL_UNROLL
  for (int half = 0; half < 2; ++half) {
    const std::int32_t row = consumer * S.group_rows + 16 * warp + 8 * half + lane / 4;
    const std::int32_t w = first[0] + row % space.box[0], h = first[1] + row / space.box[0] % space.box[1];
    const std::int32_t n = first[2] + row / space.box[0] / space.box[1];
    if (w >= space.extent[0] || h >= space.extent[1] || n >= space.extent[2]) continue;
    const std::int32_t place = (n * space.extent[1] + h) * space.extent[0] + w;
    TKL_UNROLL
    for (int j = 0; j < S.columns / 8; ++j) {
      const std::int32_t column = first_column + 8 * j + 2 * (lane % 4);
      if (column < own)
        m.finish(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1],
                 impl::place_of_number(m, place, group * own + column), (group + 1) * own);
    }
  }
}

TKL_ISA_END
}  // namespace tkl
