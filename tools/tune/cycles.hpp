// SPDX-License-Identifier: Apache-2.0
// What a schedule would cost a step, in cycles, by the loop nests of algo/: enough to leave out candidates that cannot
// win, not to choose one.
//
//   contraction: for block, panel, strip, tile:  products of the tile, its sums out of and into memory, its call
//                for each further block:         the panels again, 16 bytes per cycle
//   depthwise:   for tile, filter row:           taps, inputs, products; rows of a group share what they load
//   attention:   two products of a block's queries with a tile of keys, exponentials
//
// A register tile takes per product the largest of: multiply-adds over those that start in a cycle, loads over two, and
// latency over the sums that go on side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/algo/contraction.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/graph/tuned_record.hpp>
#include <tkl/schedule/winograd.hpp>

namespace tune {

/// A contraction as the loop nest sees it, done `times` times.
struct product {
  std::int64_t rows = 0, taps = 1, depth = 0, columns = 0, times = 1;
};

inline product product_of(const tkl::step& s, const tkl::edge* edges, const tkl::conv_schedule& schedule) {
  const tkl::edge &x = edges[s.in[0]], &y = edges[s.out];
  const tkl::step_parameters& q = s.parameters;
  const std::int64_t taps = std::int64_t{q.kernel[0]} * q.kernel[1], in = x.extent[3] / q.groups;
  const std::int64_t out = y.extent[3] / q.groups, images = y.extent[0];
  const std::int64_t places = images * y.extent[1] * y.extent[2];
  switch (s.algorithm) {
    case tkl::algorithm::matmul:
      return {y.extent[2], 1, x.extent[3], y.extent[3], images * y.extent[1]};
    case tkl::algorithm::conv2d_staged: {
      const std::int64_t band = (std::min)(std::int64_t{y.extent[1]}, std::int64_t{schedule.band});
      return {band * y.extent[2], q.kernel[0], q.kernel[1] * in, out,
              q.groups * images * tkl::ceil_div(y.extent[1], (std::max)(band, std::int64_t{1}))};
    }
    case tkl::algorithm::conv_transpose2d: {
      const std::int64_t phases = std::int64_t{q.stride[0]} * q.stride[1];
      return {tkl::ceil_div(places, phases), tkl::ceil_div(taps, phases), in, out, q.groups * phases};
    }
    case tkl::algorithm::winograd: {
      const std::int64_t side = q.mode + 2;
      return {images * tkl::ceil_div(y.extent[1], q.mode) * tkl::ceil_div(y.extent[2], q.mode), 1, in, out,
              side * side};
    }
    default:
      return {places, taps, in, out, q.groups};
  }
}

/// Cycles per product of a register tile of `rows` by `vectors`.
template <class Arch>
double tile_cycles(int rows, int vectors) {
  const int sums = rows * vectors;
  return (std::max)({static_cast<double>(sums) / Arch::multiply_add.per_cycle, (rows + vectors) / 2.0,
                     static_cast<double>(Arch::multiply_add.latency) / tkl::interleaved_sums(sums)});
}

/// What decides the loops of a contraction: candidates that agree in it run alike.
struct contraction_loops {
  int mr = 0, nr = 0, band = 0;
  std::int64_t block = 0, strip_taps = 0, strip_depth = 0;
  bool operator==(const contraction_loops&) const = default;
};

template <class Arch>
contraction_loops loops_of(const tkl::step& s, const product& p, const tkl::gemm_schedule& g, int band) {
  const tkl::strip_plan strip = tkl::plan_strips(p.taps, p.depth, 1, g.kc);
  contraction_loops l{g.mr, g.nr, band, tkl::even_block_rows(g, p.taps, p.rows), strip.taps, strip.depth};
  if (s.algorithm == tkl::algorithm::winograd)
    l.block = tkl::winograd_block({1, p.rows * s.parameters.mode, s.parameters.mode, p.depth, p.columns},
                                  s.parameters.mode, g.mr, tkl::block_rows(g, 1), Arch::cache.l2);
  return l;
}

template <class Arch>
double contraction_cycles(const product& p, const contraction_loops& l) {
  constexpr int width = Arch::width_f32, call = 20;
  if (p.rows == 0 || p.columns == 0) return 0;
  const tkl::panel_shape shape = tkl::panels_of(l.nr, width);
  const std::int64_t products = p.taps * p.depth, strip = (std::max)(l.strip_taps * l.strip_depth, std::int64_t{1});
  const std::int64_t strips = tkl::ceil_div(products, strip), blocks = tkl::ceil_div(p.rows, l.block);
  const auto block_cycles = [&](std::int64_t rows, int vectors) {
    const int most = vectors > l.nr ? tkl::wide_tile_rows(l.mr, l.nr) : l.mr;
    double cycles = 0;
    while (rows > 0) {
      const int height = tkl::tile_height(rows, most);
      const std::int64_t tiles = rows / height;
      cycles += static_cast<double>(tiles) * (static_cast<double>(products) * tile_cycles<Arch>(height, vectors) +
                                              static_cast<double>(strips) * (2.0 * height * vectors));
      cycles += static_cast<double>(strips) * call;
      rows -= tiles * height;
    }
    return cycles;
  };
  double cycles = 0;
  for (std::int64_t column = 0; column < p.columns;) {
    const std::int64_t columns = tkl::panel_columns(p.columns - column, shape);
    const int vectors = static_cast<int>(tkl::ceil_div(columns, width));
    const std::int64_t last = p.rows - (blocks - 1) * l.block;
    cycles += static_cast<double>(blocks - 1) * block_cycles(l.block, vectors) + block_cycles(last, vectors);
    column += columns;
  }
  cycles += static_cast<double>((blocks - 1) * 4 * products * p.columns) / 16;
  return cycles * static_cast<double>(p.times);
}

template <class Arch>
double depthwise_cycles(const tkl::step& s, const tkl::edge* edges, const tkl::depthwise_schedule& d) {
  const tkl::edge& y = edges[s.out];
  const tkl::step_parameters& q = s.parameters;
  const auto vectors = static_cast<double>(tkl::ceil_div(y.extent[3], Arch::width_f32));
  const std::int64_t groups = tkl::ceil_div(y.extent[1], d.group);
  double cycles = 0;
  for (std::int64_t left = y.extent[2]; left > 0; left -= d.tile) {
    const double outputs = static_cast<double>((std::min)(left, std::int64_t{d.tile}));
    const double inputs = (outputs - 1) * q.stride[1] + q.kernel[1];
    const double products = outputs * q.kernel[1] / Arch::multiply_add.per_cycle, loads = (inputs + q.kernel[1]) / 2;
    cycles += q.kernel[0] * (std::max)(products, loads) + 2 * outputs + 20 / vectors;
    // Input rows come once per group from beyond the first-level cache.
    cycles += inputs * ((d.group - 1) * q.stride[0] + q.kernel[0]) * Arch::width_f32 * 4 / 32.0 / d.group;
  }
  return cycles * vectors * static_cast<double>(groups * d.group) * y.extent[0];
}

template <class Arch>
double attention_cycles(const tkl::step& s, const tkl::edge* edges, const tkl::attention_schedule& a) {
  const tkl::edge &q = edges[s.in[0]], &k = edges[s.in[1]], &v = edges[s.in[2]];
  const std::int64_t lanes = std::int64_t{a.queries} * Arch::width_f32, depth = q.extent[3] / s.parameters.heads;
  const std::int64_t values = tkl::ceil_div(v.extent[3] / s.parameters.groups, Arch::width_f32);
  const std::int64_t blocks = tkl::ceil_div(q.extent[2], lanes), tiles = tkl::ceil_div(k.extent[2], a.keys);
  const double tile = tile_cycles<Arch>(a.mr, a.nr), call = 2.0 * a.mr * a.nr + 20;
  const double scores = (a.keys / a.mr) * (a.queries / a.nr) * (static_cast<double>(depth) * tile + call);
  const double sums = static_cast<double>(lanes / a.mr * tkl::ceil_div(values, a.nr)) * (a.keys * tile + call);
  const double exponentials = 12.0 * a.keys * a.queries + 4.0 * a.queries * static_cast<double>(values);
  return static_cast<double>(blocks * tiles * s.parameters.heads * q.extent[0]) * (scores + sums + exponentials);
}

}  // namespace tune
