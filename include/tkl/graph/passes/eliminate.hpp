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
#include <vector>

namespace tkl {

namespace detail {

constexpr bool is_literal(const graph& g, std::int32_t id, double number) {
  const node& n = g.nodes[static_cast<std::size_t>(id)];
  return n.kind == op_kind::literal &&
         std::bit_cast<std::uint64_t>(n.attr.real[0]) == std::bit_cast<std::uint64_t>(number);  // -0 is not 0
}

constexpr bool is_identity(const graph& g, const node& n) {
  if (n.inputs == 0) return false;
  const node& x = g.nodes[static_cast<std::size_t>(n.in[0])];
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
      if (!(n.shape == x.shape)) return false;
      if (n.attr.function == function_index<fn::mul> || n.attr.function == function_index<fn::div>)
        return is_literal(g, n.in[1], 1);
      return n.attr.function == function_index<fn::sub> && is_literal(g, n.in[1], 0);
    default:
      return false;
  }
}

}  // namespace detail

/// Removes identities in place; node numbers stay as they are, what is not reachable from an output is dead.
constexpr void eliminate(graph& g) {
  std::vector<std::int32_t> replaced(g.nodes.size(), -1);
  for (std::size_t id = 0; id < g.nodes.size(); ++id) {
    node& n = g.nodes[id];
    for (int i = 0; i < n.inputs; ++i) n.in[i] = replaced[static_cast<std::size_t>(n.in[i])];
    replaced[id] = static_cast<std::int32_t>(id);
    if (!detail::is_identity(g, n)) continue;
    replaced[id] = n.in[0];
    node& x = g.nodes[static_cast<std::size_t>(n.in[0])];
    if (x.name < 0) x.name = n.name;
  }
  for (graph_output& o : g.outputs) o.node = replaced[static_cast<std::size_t>(o.node)];
}

}  // namespace tkl
