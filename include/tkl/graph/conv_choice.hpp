// SPDX-License-Identifier: Apache-2.0
// Direct or Winograd: the choice for one convolution of a graph, from the estimates of schedule/winograd.hpp and the
// facts of the target. The passes and the report ask the same functions.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/program.hpp>
#include <tkl/schedule/winograd.hpp>

namespace tkl {

/// Whether Winograd's algorithm computes this window at all.
TKL_TAGGED constexpr bool suits_winograd(const std::int32_t (&kernel)[2], const std::int32_t (&stride)[2],
                                         const std::int32_t (&dilation)[2], std::int32_t groups) {
  for (int i = 0; i < 2; ++i)
    if (kernel[i] != 3 || stride[i] != 1 || dilation[i] != 1) return false;
  return groups == 1;
}

TKL_TAGGED constexpr conv_machine machine_of(const target_facts& f) {
  return {f.width, f.rows, f.block_rows, f.l2_bytes, static_cast<int>(size_of(f.packed))};
}

/// The fastest method by the estimates for a convolution of `in_channels` channels with a result of shape `y`. Few
/// channels are staged, which is direct.
TKL_TAGGED constexpr conv_method chosen_method(const attributes& a, const shape& y, std::int64_t in_channels,
                                               const target_facts& f) {
  if (!suits_winograd(a.kernel, a.stride, a.dilation, a.groups) || y.elements().value == 0 ||
      in_channels <= f.staged_channels)
    return conv_method::direct;
  return fastest_method({y[0], y[1], y[2], in_channels, y[3]}, machine_of(f));
}

/// Fixes the methods of all convolutions of `g` to those that the same model `like` in another shape would choose, so
/// that both read one layout of packed weights.
TKL_TAGGED constexpr void choose_methods_of(graph& g, const graph& like, const target_facts& f) {
  if (g.nodes.size() != like.nodes.size()) return;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = like.nodes[i];
    if (n.kind != op_kind::conv2d || g.nodes[i].kind != op_kind::conv2d || n.type != element::f32) continue;
    if (n.attr.method != static_cast<std::uint8_t>(conv_method::automatic)) continue;
    const shape& x = like.nodes[static_cast<std::size_t>(n.in[0])].shape;
    g.nodes[i].attr.method = static_cast<std::uint8_t>(chosen_method(n.attr, n.shape, x[3], f));
  }
}

}  // namespace tkl
