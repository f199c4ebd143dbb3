// SPDX-License-Identifier: Apache-2.0
// What a node costs when it runs alone: arithmetic operations, and bytes read and written once each.
//
// An addition, a multiplication, a division, a comparison and a function of one number count as one operation each, so
// a multiply-add is two. The counts follow the definitions; a fused or cleverer kernel does fewer.
#pragma once

#include <tkl/core/checked.hpp>
#include <tkl/graph/graph.hpp>

namespace tkl {

/// Either count is invalid when it leaves 64 bits.
struct op_cost {
  checked flops{};
  checked bytes{};
};

/// Operations of node `n` of graph `g`.
constexpr checked flops_of(const graph& g, const node& n) {
  const auto shape_of = [&](int i) -> const shape& { return g.nodes[static_cast<std::size_t>(n.in[i])].shape; };
  const checked out = n.shape.elements();
  const checked taps = checked(n.attr.kernel[0]) * n.attr.kernel[1];
  switch (n.kind) {
    case op_kind::conv2d:
      return out * taps * shape_of(1)[1] * 2 + (n.inputs > 2 ? out : checked(0));
    case op_kind::conv_transpose2d:
      return shape_of(0).elements() * taps * shape_of(1)[1] * 2 + (n.inputs > 2 ? out : checked(0));
    case op_kind::matmul:
      return out * shape_of(0).back(n.attr.transpose_a ? 1 : 0) * 2;
    case op_kind::map:
      return out;
    case op_kind::batch_norm:
      return out * 2;
    case op_kind::pool2d:
      return out * taps;
    case op_kind::reduce:
      return shape_of(0).elements();
    case op_kind::softmax:
      return out * 5;  // compare, subtract, exponential, add, divide
    case op_kind::layer_norm:
      return out * (n.inputs > 1 ? 8 : 6);
    case op_kind::attention: {
      const shape &q = shape_of(0), &k = shape_of(1);
      const checked scores = checked(q[0]) * n.attr.heads * q[1] * k[1];
      const checked pairs = checked(q[0]) * q[1] * k[1];
      return pairs * q[2] * 2 + scores * (n.inputs > 3 ? 7 : 6) + pairs * n.shape[2] * 2;
    }
    case op_kind::resize2d:
      return n.attr.mode == static_cast<std::uint8_t>(resize_kind::bilinear) ? out * 9 : checked(0);
    case op_kind::input:
    case op_kind::weight:
    case op_kind::literal:
    case op_kind::cast:
    case op_kind::keep_first:
    case op_kind::pad:
    case op_kind::concat:
    case op_kind::slice:
    case op_kind::transpose:
    case op_kind::reshape:
      break;
  }
  return 0;
}

/// Bytes of the operands and of the result of node `n`; a slice reads only what it keeps. Nothing for what the caller
/// or the weights file brings.
constexpr checked bytes_of(const graph& g, const node& n) {
  if (facts_of(n.kind).leaf) return 0;
  const checked out = n.shape.elements() * static_cast<std::int64_t>(size_of(n.type));
  if (n.kind == op_kind::slice) return out * 2;
  checked sum = out;
  for (int i = 0; i < n.inputs; ++i) {
    const node& operand = g.nodes[static_cast<std::size_t>(n.in[i])];
    if (operand.kind == op_kind::literal) continue;
    sum = sum + operand.shape.elements() * static_cast<std::int64_t>(size_of(operand.type));
  }
  return sum;
}

/// Cost of the node with that id.
constexpr op_cost cost_of(const graph& g, std::int32_t id) {
  const node& n = g.nodes[static_cast<std::size_t>(id)];
  return {flops_of(g, n), bytes_of(g, n)};
}

}  // namespace tkl
