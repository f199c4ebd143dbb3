// SPDX-License-Identifier: Apache-2.0
// Cancel views: a transpose of a transpose becomes one transpose, a reshape of a reshape one reshape; what becomes the
// identity is removed by `eliminate`, which runs after this pass.
//
// Obligation: every index of the result names the same element of the innermost input. The inner view stays for other
// readers and is dead if there are none.
#pragma once

#include <cstdint>
#include <tkl/graph/graph.hpp>

namespace tkl {

constexpr void cancel_views(graph& g) {
  for (node& n : g.nodes) {
    if (n.kind != op_kind::transpose && n.kind != op_kind::reshape) continue;
    const node& x = g.nodes[static_cast<std::size_t>(n.in[0])];
    if (x.kind != n.kind) continue;
    if (n.kind == op_kind::transpose)
      for (int i = 0; i < n.shape.rank; ++i) n.attr.permutation[i] = x.attr.permutation[n.attr.permutation[i]];
    n.in[0] = x.in[0];  // x itself was rewritten before: chains collapse to one view
  }
}

}  // namespace tkl
