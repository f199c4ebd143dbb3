// SPDX-License-Identifier: Apache-2.0
// What the host prepares for the steps of a plan on a device: the sources of resizes, and the taps of the residues of
// transposed convolutions.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/resize_source.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/device_plan.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Triples of 32-bit numbers (see algo/work_item/), those of step i from integer at[i] on.
class device_tables {
 public:
  TKL_COLD explicit device_tables(const device_plan& plan) : edges_(plan.edges) {
    for (int i = 0; i < plan.step_count; ++i) add(plan.steps[i]);
  }
  std::vector<std::int32_t> numbers{};
  std::vector<std::int32_t> at{};

 private:
  /// What the host prepares for a step: triples of 32-bit numbers (see algo/work_item/).
  TKL_COLD void add(const step& s) {
    at.push_back(static_cast<std::int32_t>(numbers.size()));
    if (s.algorithm == algorithm::resize2d) add_sources(s);
    if (s.algorithm == algorithm::conv_transpose2d) add_residues(s);
  }
  /// Rows, then columns of a resize's output: low, high, weight.
  TKL_COLD void add_sources(const step& s) {
    const edge &x = edges_[s.in[0]], &y = edges_[s.out];
    for (int axis = 1; axis <= 2; ++axis) {
      const resize_axis a{x.extent[axis], y.extent[axis], s.parameters.real[axis - 1],
                          static_cast<coordinate_kind>(s.parameters.coordinates),
                          static_cast<rounding_kind>(s.parameters.rounding)};
      const bool nearest = s.parameters.mode == static_cast<std::uint8_t>(resize_kind::nearest);
      for (std::int64_t o = 0; o < a.out; ++o) {
        const resize_source from = nearest ? nearest_source(a, o) : linear_source(a, o);
        numbers.insert(numbers.end(),
                       {from.low, from.high, std::bit_cast<std::int32_t>(static_cast<float>(from.weight))});
      }
    }
  }
  /// Residues of rows, then of columns: first tap, step, count; then the first weight of each pair.
  TKL_COLD void add_residues(const step& s) {
    const step_parameters& p = s.parameters;
    const auto taps_of = [&](int axis, std::int32_t residue) {
      return taps_of_residue(p.kernel[axis], p.stride[axis], p.dilation[axis], residue);
    };
    const auto add = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      numbers.insert(numbers.end(),
                     {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)});
    };
    for (int axis = 0; axis < 2; ++axis)
      for (std::int32_t r = 0; r < p.stride[axis]; ++r) {
        const residue_taps t = taps_of(axis, r);
        add(t.first, t.step, t.count);
      }
    const std::int64_t in = edges_[s.in[0]].extent[3] / p.groups, out = edges_[s.out].extent[3] / p.groups;
    std::int64_t start = 0;
    for (std::int32_t r = 0; r < p.stride[0]; ++r)
      for (std::int32_t c = 0; c < p.stride[1]; ++c) {
        add(start, 0, 0);
        start += p.groups * packed_matrix_elements(taps_of(0, r).count * taps_of(1, c).count * in, out, item_width);
      }
  }

  const edge* edges_;
};

TKL_ISA_END
}  // namespace tkl
