// SPDX-License-Identifier: Apache-2.0
// Facts about a graph that several passes need: who is live, who is constant, who reads whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/passes/node_array.hpp>

namespace tkl {

struct node_use {
  bool live = false;         // reachable from an output
  bool constant = false;     // computed from weights and literals alone, by operations that run at load time
  bool output = false;       // declared as an output
  std::int32_t readers = 0;  // distinct live, non-constant nodes that read it
  std::int32_t last_reader = -1;
};

namespace detail {

constexpr bool runs_at_load(const node& n) {
  if (n.shape.rank > 4) return false;
  switch (n.kind) {
    case op_kind::weight:
    case op_kind::literal:
    case op_kind::map:
    case op_kind::reshape:
    case op_kind::transpose:
      return true;
    case op_kind::concat:
      return n.inputs <= 3;
    default:
      return false;
  }
}

}  // namespace detail

/// One walk backwards for liveness, one forwards for constants and readers.
constexpr node_array<node_use> analyse(const graph& g) {
  const node* const nodes = g.nodes.data();
  const auto count = static_cast<std::int32_t>(g.nodes.size());
  node_array<node_use> use(g.nodes.size());
  for (const graph_output& o : g.outputs) use[o.node].live = use[o.node].output = true;
  for (std::int32_t id = count - 1; id >= 0; --id) {
    if (!use[id].live) continue;
    const node& n = nodes[id];
    for (int i = 0; i < n.inputs; ++i) use[n.in[i]].live = true;
  }
  for (std::int32_t id = 0; id < count; ++id) {
    if (!use[id].live) continue;
    const node& n = nodes[id];
    bool constant = detail::runs_at_load(n);
    for (int i = 0; constant && i < n.inputs; ++i) constant = use[n.in[i]].constant;
    use[id].constant = constant;
    if (constant) continue;
    for (int i = 0; i < n.inputs; ++i) {
      node_use& x = use[n.in[i]];
      if (x.last_reader == id) continue;  // the same operand twice
      x.last_reader = id;
      ++x.readers;
    }
  }
  return use;
}

}  // namespace tkl
