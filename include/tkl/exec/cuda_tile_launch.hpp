// SPDX-License-Identifier: Apache-2.0
// Which steps tensor cores take, and how their tiles become blocks: known when the program compiles, apart from
// addresses. The launches along a grid's dimensions are tiles of columns and places; groups; parts of the depth.
//
// Where a step has too few tiles for half of the multiprocessors, and a deep sum, blocks share the depth. Their sums
// are the step's output without its epilogue, in f32, part after part; a second kernel adds them in the order of the
// parts (algo/work_item/sum_parts.hpp), so that a result does not depend on which block ends first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/exec/cuda_launch.hpp>
#include <tkl/exec/device_plan.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/schedule/mma.hpp>
#include <tkl/schedule/ring.hpp>

namespace tkl {

/// Whether tensor cores run a key in that way at all.
constexpr bool multiplies_matrices(const kernel_key& k, cuda_product p) {
  const bool contracts =
      k.algorithm == algorithm::matmul || (k.algorithm == algorithm::conv2d && k.weights == element::f32);
  return contracts && (p == cuda_product::split ? k.in == element::f32 : p == cuda_product::rounded);
}
/// Whether warpgroups do, where the architecture has their instructions.
constexpr bool suits_warpgroups(const kernel_key& k, cuda_product p) {
  return k.algorithm == algorithm::conv2d && multiplies_matrices(k, p) &&
         (k.in == element::f16 || k.in == element::bf16);
}

/// A contraction as its tiles see it. `depth`, `columns`: of a group; the depth is that of one tap.
struct tile_contraction {
  std::int64_t places, columns, depth, taps, groups;
};
constexpr tile_contraction contraction_of(const step& s, const edge* edges) {
  const edge &in = edges[s.in[0]], &out = edges[s.out];
  const step_parameters& p = s.parameters;
  return {std::int64_t{out.extent[0]} * out.extent[1] * out.extent[2], out.extent[3] / p.groups,
          in.extent[3] / p.groups, std::int64_t{p.kernel[0]} * p.kernel[1], p.groups};
}

/// Into how many parts the depth of `slices` slices is cut where there are `tiles` tiles. Every part has 8 slices at
/// least: not measured.
constexpr std::int64_t parts_of_depth(std::int64_t tiles, std::int64_t slices, int multiprocessors) {
  constexpr std::int64_t least_slices = 8;
  if (tiles == 0 || 2 * tiles > multiprocessors) return 1;
  return (std::max)(std::int64_t{1}, (std::min)(multiprocessors / tiles, slices / least_slices));
}

namespace detail {

/// Empty beyond the limits of a grid.
constexpr cuda_launch blocks_of_tiles(int threads, std::int64_t tiles, std::int64_t groups, std::int64_t slices,
                                      int multiprocessors) {
  cuda_launch l;
  if (tiles == 0 || tiles > 0x7fffffff || groups > 65535) return l;
  const std::int64_t parts = parts_of_depth(tiles * groups, slices, multiprocessors);
  l.threads[0] = static_cast<std::uint32_t>(threads);
  l.blocks[0] = l.grid[0] = static_cast<std::uint32_t>(tiles);
  l.blocks[1] = l.grid[1] = static_cast<std::uint32_t>(groups);
  l.blocks[2] = l.grid[2] = static_cast<std::uint32_t>(parts);
  return l;
}

}  // namespace detail

/// The launch of algo/mma/conv2d.hpp; empty where a step does not suit: vectors of 16 bytes, which are `vector`
/// elements of the input, must be whole. The operands must begin at multiples of 16 bytes, too, which only a run knows.
constexpr cuda_launch tile_launch(const mma_schedule& schedule, const step& s, const edge* edges, int vector,
                                  int multiprocessors) {
  const tile_contraction c = contraction_of(s, edges);
  bool suits = c.depth % vector == 0;
  for (int i = 0; i < 3; ++i) suits = suits && edges[s.in[0]].stride[i] % vector == 0;
  if (!suits) return {};
  return detail::blocks_of_tiles(schedule.threads(),
                                 ceil_div(c.columns, schedule.columns) * ceil_div(c.places, schedule.rows), c.groups,
                                 ceil_div(c.taps * c.depth, 8 * vector), multiprocessors);
}

/// The launch of algo/mma/matmul.hpp; empty where a step does not suit: whichever axis of an operand lies along memory
/// must be whole vectors of 16 bytes, and all other strides, too. Addresses as in tile_launch.
constexpr cuda_launch matmul_launch(const mma_schedule& schedule, const step& s, const kernel_key& k, const edge* edges,
                                    int vector) {
  bool suits = true;
  for (int operand = 0; operand < 2; ++operand) {
    const edge& e = edges[s.in[operand]];
    const int along = k.variant[operand] != 0 ? 2 : 3;
    suits = suits && e.type == k.in && e.stride[along] == 1 && e.extent[along] % vector == 0;
    for (int axis = 0; axis < 4; ++axis) suits = suits && (axis == along || e.stride[axis] % vector == 0);
  }
  if (!suits) return {};
  const edge& out = edges[s.out];
  return detail::blocks_of_tiles(schedule.threads(),
                                 ceil_div(out.extent[3], schedule.columns) * ceil_div(out.extent[2], schedule.rows),
                                 std::int64_t{out.extent[0]} * out.extent[1], 1, 0);
}

/// Elements between neighbouring places of a tensor, counted along columns, rows and batch; 0 where that differs.
constexpr std::int64_t place_stride(const edge& e) {
  std::int64_t apart = 0, places = 1;
  for (int axis = 2; axis >= 0; --axis) {
    if (e.extent[axis] == 1) continue;
    if (apart == 0) apart = e.stride[axis];
    if (e.stride[axis] != places * apart) return 0;
    places *= e.extent[axis];
  }
  return places == 1 ? e.extent[3] : apart;
}

/// The places of a step's output as boxes: one after the other where a step has one tap, no border and places that are
/// equally far apart, else by columns, rows and batch.
constexpr ring_space ring_space_of(const ring_schedule& schedule, const step& s, const edge* edges) {
  const edge &in = edges[s.in[0]], &out = edges[s.out];
  bool plain = place_stride(in) > 0;
  for (int i = 0; i < 3; ++i) plain = plain && in.extent[i] == out.extent[i];
  for (int i = 0; i < 2; ++i) plain = plain && s.parameters.kernel[i] == 1 && s.parameters.pad[i] == 0;
  const std::int32_t* e = out.extent;
  return plain ? space_of(schedule.rows, e[0] * e[1] * e[2], 1, 1) : space_of(schedule.rows, e[2], e[1], e[0]);
}

/// The launch of algo/mma/product_ring.hpp; empty where a step does not suit: stride 1, whole vectors of 16 bytes, and
/// strides of the input that a tensor map can have. Addresses as in tile_launch.
constexpr cuda_launch ring_launch(const ring_schedule& schedule, const step& s, const edge* edges,
                                  int multiprocessors) {
  constexpr int vector = 8;
  const tile_contraction c = contraction_of(s, edges);
  const edge& in = edges[s.in[0]];
  bool suits = c.depth > 0 && c.depth % vector == 0;
  for (int i = 0; i < 2; ++i) suits = suits && s.parameters.stride[i] == 1;
  for (int i = 0; i < 3; ++i)
    suits = suits && in.extent[i] > 0 && (in.extent[i] == 1 || (in.stride[i] > 0 && in.stride[i] % vector == 0));
  if (!suits || c.places == 0) return {};
  return detail::blocks_of_tiles(schedule.threads(),
                                 ceil_div(c.columns, schedule.columns) * ring_space_of(schedule, s, edges).tiles(),
                                 c.groups, c.taps * ceil_div(c.depth, 8 * vector), multiprocessors);
}

/// Bytes of the sums of all parts; 0 for a launch of one part.
constexpr std::int64_t partial_bytes(const cuda_launch& l, const edge& out) {
  return l.blocks[2] < 2
             ? 0
             : std::int64_t{4} * l.blocks[2] * out.extent[0] * out.extent[1] * out.extent[2] * out.extent[3];
}

/// Bytes of the weights of a step as tiles of warpgroups.
constexpr std::int64_t weight_tile_bytes(const ring_schedule& schedule, const step& s, const edge* edges) {
  const tile_contraction c = contraction_of(s, edges);
  return c.groups * ceil_div(c.columns, schedule.columns) * c.taps * ceil_div(2 * c.depth, schedule.line_bytes) *
         schedule.columns_bytes();
}

/// How a step runs in tensor cores, by the first launch that is not empty.
struct cuda_tile_launches {
  cuda_launch ring, tiles;
  constexpr std::int64_t partials(const edge& out) const {
    return (std::max)(partial_bytes(ring, out), partial_bytes(tiles, out));
  }
};

struct cuda_tile_counts {
  int steps = 0;          // in tensor cores, where their operands begin at multiples of 16 bytes
  int by_warpgroups = 0;  // of these
  int cut = 0;            // of these: in two launches
  std::int64_t weight_bytes = 0, partial_bytes = 0;
};

/// The launches of a step for an architecture's schedules, and what a plan needs for them.
template <class Arch, cuda_product P>
struct cuda_tile_plan {
  static constexpr bool has_tiles = requires { Arch::tiles; };
  static constexpr bool has_ring = requires { Arch::ring; };

  static constexpr cuda_tile_launches of(const step& s, const kernel_key& k, const edge* edges) {
    cuda_tile_launches l;
    if constexpr (has_tiles) {
      const auto vector = static_cast<int>(16 / size_of(k.in));
      if (multiplies_matrices(k, P))
        l.tiles = k.algorithm == algorithm::matmul
                      ? matmul_launch(Arch::tiles, s, k, edges, vector)
                      : tile_launch(Arch::tiles, s, edges, vector, Arch::facts.multiprocessors);
    }
    if constexpr (has_ring) {
      if (suits_warpgroups(k, P)) l.ring = ring_launch(Arch::ring, s, edges, Arch::facts.multiprocessors);
    }
    return l;
  }
  /// Whether a step with key number `kernel` cuts its depth.
  static constexpr bool cuts(const device_plan& p, int kernel) {
    for (int i = 0; i < p.step_count; ++i)
      if (p.steps[i].kernel == kernel && launches(p, i).partials(p.edges[p.steps[i].out]) > 0) return true;
    return false;
  }
  static constexpr cuda_tile_counts counts(const device_plan& p) {
    cuda_tile_counts n;
    for (int i = 0; i < p.step_count; ++i) {
      const cuda_tile_launches l = launches(p, i);
      const bool ring = !l.ring.empty();
      n.steps += ring || !l.tiles.empty();
      n.by_warpgroups += ring;
      n.cut += (ring ? l.ring : l.tiles).blocks[2] > 1;
      n.partial_bytes = (std::max)(n.partial_bytes, l.partials(p.edges[p.steps[i].out]));
      if constexpr (has_ring) n.weight_bytes += ring ? weight_tile_bytes(Arch::ring, p.steps[i], p.edges) : 0;
    }
    return n;
  }

 private:
  static constexpr cuda_tile_launches launches(const device_plan& p, int i) {
    return of(p.steps[i], p.keys[p.steps[i].kernel], p.edges);
  }
};

}  // namespace tkl
