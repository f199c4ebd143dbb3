// SPDX-License-Identifier: Apache-2.0
// A tuned record: the schedule that measured fastest for steps of one kind on one device. tools/tune.py writes them,
// tuned<Target, Records> (exec/tuned.hpp) puts them in the place of defaults.
//
// The kind of a step is its algorithm, its element types and its shape class: three numbers, each rounded down to a
// power of two, so that layers of about one size share a schedule and its kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/text.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/schedule/attention.hpp>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/depthwise.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// Changes when measurements of before say nothing any more: a kernel, or what a number of a schedule means, is
/// another.
inline constexpr int tuning_version = 1;

/// What a record says of its device, and a target's architecture must say too.
struct tuned_device {
  std::string_view name{};
  int registers = 0;
  int width_f32 = 0;
  cache_sizes cache{};
};
template <class Arch>
constexpr tuned_device device_of() {
  return {Arch::name, Arch::registers, Arch::width_f32, Arch::cache};
}

/// Contractions: output places, products of one sum, output channels of a group. matmul: those of one matrix.
/// depthwise: places of an output row, taps, channels. attention: queries, columns of a head, keys.
struct shape_class {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  constexpr bool operator==(const shape_class&) const = default;
};

/// What a record is found by.
struct step_kind {
  tkl::algorithm algorithm = tkl::algorithm::conv2d;
  shape_class shape{};
  element in = element::f32;
  element weights = element::f32;  // matmul, attention: of the second operand
  element out = element::f32;
  constexpr bool operator==(const step_kind&) const = default;
};

/// A record. Of the schedules only the algorithm's counts: `gemm` for matmul, `depthwise` (tile and group),
/// `attention`, `conv` for the other contractions.
struct tuned_record {
  int version = 0;  // tuning_version when it was measured
  tuned_device device{};
  step_kind kind{};
  conv_schedule conv{};
  gemm_schedule gemm{};
  depthwise_schedule depthwise{};
  attention_schedule attention{};
  std::int64_t default_ns = 0;  // of the model's steps of this kind, as measured
  std::int64_t tuned_ns = 0;
};

/// Which of its schedules a record replaces.
enum class schedule_kind : std::uint8_t { none, conv, gemm, depthwise, attention };
TKL_TAGGED constexpr schedule_kind schedule_kind_of(algorithm a) {
  switch (a) {
    case algorithm::conv2d:
    case algorithm::conv2d_staged:
    case algorithm::conv_transpose2d:
    case algorithm::winograd:
      return schedule_kind::conv;
    case algorithm::matmul:
      return schedule_kind::gemm;
    case algorithm::depthwise:
      return schedule_kind::depthwise;
    case algorithm::attention:
      return schedule_kind::attention;
    default:
      return schedule_kind::none;
  }
}

/// Whether two records of any kinds have the same schedule for the same algorithm: their kernels are the same.
constexpr bool same_code(const tuned_record& a, const tuned_record& b) {
  return a.kind.algorithm == b.kind.algorithm && a.conv == b.conv && a.gemm == b.gemm && a.depthwise == b.depthwise &&
         a.attention == b.attention;
}

/// The numbers of a step before they are rounded.
TKL_TAGGED constexpr shape_class extents_of(const step& s, const edge* edges) {
  if (s.in[0] < 0) return {};
  const edge &x = edges[s.in[0]], &y = edges[s.out];
  const step_parameters& q = s.parameters;
  const std::int64_t taps = std::int64_t{q.kernel[0]} * q.kernel[1];
  switch (schedule_kind_of(s.algorithm)) {
    case schedule_kind::conv:
      return {std::int64_t{y.extent[0]} * y.extent[1] * y.extent[2], taps * (x.extent[3] / q.groups),
              y.extent[3] / q.groups};
    case schedule_kind::gemm:
      return {y.extent[2], x.extent[3], y.extent[3]};
    case schedule_kind::depthwise:
      return {y.extent[2], taps, y.extent[3]};
    case schedule_kind::attention:
      return {x.extent[2], x.extent[3] / q.heads, edges[s.in[1]].extent[2]};
    case schedule_kind::none:
      break;
  }
  return {};
}

TKL_TAGGED constexpr step_kind kind_of(const step& s, const edge* edges) {
  const auto floor = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
  };
  const shape_class n = extents_of(s, edges);
  step_kind k{.algorithm = s.algorithm, .shape = {floor(n.rows), floor(n.depth), floor(n.columns)}};
  if (schedule_kind_of(s.algorithm) == schedule_kind::none) return k;
  const std::int16_t second = s.weight >= 0 ? s.weight : s.in[1];
  k.in = edges[s.in[0]].type, k.out = edges[s.out].type;
  if (second >= 0) k.weights = edges[second].type;
  return k;
}

/// "conv2d of 2048 x 512 x 64, f32 f32 f32"
template <std::size_t N>
constexpr text<N>& operator<<(text<N>& t, const step_kind& k) {
  t << name_of(k.algorithm) << " of " << k.shape.rows << " x " << k.shape.depth << " x " << k.shape.columns << ", ";
  return t << name_of(k.in) << ' ' << name_of(k.weights) << ' ' << name_of(k.out);
}

/// "mr 6, nr 2, kc 256, mc 96": the schedule that a record replaces.
constexpr text<80> schedule_text(const tuned_record& r) {
  text<80> t;
  switch (schedule_kind_of(r.kind.algorithm)) {
    case schedule_kind::conv:
      t << "mr " << r.conv.mr << ", nr " << r.conv.nr << ", kc " << r.conv.kc << ", mc " << r.conv.mc;
      if (r.kind.algorithm == algorithm::conv2d_staged) t << ", band " << r.conv.band;
      break;
    case schedule_kind::gemm:
      t << "mr " << r.gemm.mr << ", nr " << r.gemm.nr << ", kc " << r.gemm.kc << ", mc " << r.gemm.mc;
      break;
    case schedule_kind::depthwise:
      t << "tile " << r.depthwise.tile << ", group " << r.depthwise.group;
      break;
    case schedule_kind::attention:
      t << "mr " << r.attention.mr << ", nr " << r.attention.nr << ", queries " << r.attention.queries << ", keys "
        << r.attention.keys;
      break;
    case schedule_kind::none:
      t << "none";
      break;
  }
  return t;
}

}  // namespace tkl
