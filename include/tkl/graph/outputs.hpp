// SPDX-License-Identifier: Apache-2.0
// Probes: a model with named inner values as further outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/text.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/graph.hpp>

namespace tkl {

/// `Model` whose values named `Names` are outputs too, after its own and in this order. Nothing fuses across them. A
/// name that no value has is an error.
template <class Model, fixed_text... Names>
struct with_outputs {
  static constexpr void build(graph& g) {
    build_model<Model>(g);
    (declare(g, Names.view()), ...);
  }

 private:
  static constexpr void declare(graph& g, std::string_view name) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.name_at(g.nodes[i].name) == name) {
        g.output({&g, static_cast<std::int32_t>(i)}, name);
        return;
      }
    text<240> m;
    g.fail(m << "no value of the model is named '" << name << '\'');
  }
};

}  // namespace tkl
