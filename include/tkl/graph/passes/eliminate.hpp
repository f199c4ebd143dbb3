// SPDX-License-Identifier: Apache-2.0
// Eliminate: nodes that change nothing are replaced by their input, through one forward map.
//
// Rule: x -> x for reshape to the same shape, transpose by the identity, a slice of everything, a cast to the same
// type, a concatenation of one, x * 1, x / 1 and x - 0. Not x + 0: it turns -0 into 0. Obligation: the replaced value
// equals its input bit for bit, and keeps its name if the input has none. A graph output keeps naming the value that it
// named.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/expr/functions.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/passes/node_array.hpp>

namespace tkl {

namespace detail {

constexpr bool is_literal(const node& n, double number) {
  return n.kind == op_kind::literal &&
         std::bit_cast<std::uint64_t>(n.attr.real[0]) == std::bit_cast<std::uint64_t>(number);  // -0 is not 0
}

constexpr bool is_identity(const node* nodes, const node& n) {
  if (n.inputs == 0) return false;
  const node& x = nodes[n.in[0]];
  switch (n.kind) {
    case op_kind::reshape:
      return n.shape == x.shape;
    case op_kind::cast:
      return n.type == x.type;
    case op_kind::concat:
      return n.inputs == 1;
    case op_kind::transpose:
      for (int i = 0; i < n.shape.rank; ++i)
        if (n.attr.permutation[i] != i) return false;
      return true;
    case op_kind::slice:
      for (int i = 0; i < n.shape.rank; ++i)
        if (n.attr.begin[i] != 0 || n.attr.step[i] != 1) return false;
      return n.shape == x.shape;
    case op_kind::map:
      if (n.attr.function == function_index<fn::mul> || n.attr.function == function_index<fn::div>)
        return is_literal(nodes[n.in[1]], 1) && n.shape == x.shape;
      return n.attr.function == function_index<fn::sub> && is_literal(nodes[n.in[1]], 0) && n.shape == x.shape;
    default:
      return false;
  }
}

}  // namespace detail

/// Removes identities in place; node numbers stay as they are, what is not reachable from an output is dead.
constexpr void eliminate(graph& g) {
  node* const nodes = g.nodes.data();
  const auto count = static_cast<std::int32_t>(g.nodes.size());
  node_array<std::int32_t> replaced(g.nodes.size());  // by the node of that number less one; 0: it stays
  bool any = false;
  for (std::int32_t id = 0; id < count; ++id) {
    node& n = nodes[id];
    for (int i = 0; any && i < n.inputs; ++i)
      if (const std::int32_t by = replaced[n.in[i]]; by != 0) n.in[i] = by - 1;
    if (!detail::is_identity(nodes, n)) continue;
    replaced[id] = n.in[0] + 1;
    any = true;
    node& x = nodes[n.in[0]];
    if (x.name < 0) x.name = n.name;
  }
  for (graph_output& o : g.outputs)
    if (const std::int32_t by = replaced[o.node]; by != 0) o.node = by - 1;
}

}  // namespace tkl
